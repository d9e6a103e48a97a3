// Package memcached implements the hooks of Memcached, a parent of cache.example.com/v1alpha1. Its children are a Deployment
// or a StatefulSet of memcached pods, a Service, a PodDisruptionBudget, a NetworkPolicy and a ServiceMonitor. With proxies, a
// Deployment of memcached's proxy has a Service, a PodDisruptionBudget and a NetworkPolicy of its own, and a Job moves items
// during a change with proxies.
package memcached

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// childGroups declares the children that the sync hook observes. A CompositeController need not list any of their kinds:
// [validation.Validate] refuses a spec that needs a kind which is not listed.
type childGroups struct {
	Deployments          composite.Group[observed.Workload] `json:"Deployment.apps/v1" composite:"optional"`
	StatefulSets         composite.Group[observed.Workload] `json:"StatefulSet.apps/v1" composite:"optional"`
	Services             composite.Group[observed.Child]    `json:"Service.v1" composite:"optional"`
	PodDisruptionBudgets composite.Group[observed.Child]    `json:"PodDisruptionBudget.policy/v1" composite:"optional"`
	NetworkPolicies      composite.Group[observed.Child]    `json:"NetworkPolicy.networking.k8s.io/v1" composite:"optional"`
	Jobs                 composite.Group[observed.Job]      `json:"Job.batch/v1" composite:"optional"`
	ServiceMonitors      composite.Group[observed.Child]    `json:"ServiceMonitor.monitoring.coreos.com/v1" composite:"optional"`
}

// workloads returns the workload of spec.workload, and the one of the other kind; nil if there is none.
func (g *childGroups) workloads(memcached *v1alpha1.Memcached) (workload, other *observed.Workload) {
	deployment := g.Deployments.Get(memcached.Namespace, memcached.Name)
	statefulSet := g.StatefulSets.Get(memcached.Namespace, memcached.Name)
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		return statefulSet, deployment
	}
	return deployment, statefulSet
}

// relatedGroups declares the related objects that the sync hook observes.
type relatedGroups struct {
	Pods composite.Group[observed.Pod] `json:"Pod.v1"`
}

// Config configures the hooks. Its images and its library are defaults, which differ between releases: see [Config.templates].
type Config struct {
	// Image, ExporterImage and ProxyLibrary are those of this build if they are empty.
	Image, ExporterImage, ProxyLibrary string
	// OperatorImage is the image of this program. Its subcommand reload is the reloader, hold is the sidecar of servers whose items
	// can move, export is the exporter of proxies, reach is their startup probe, and the Job of a move runs copy and clean. If it is empty,
	// new pods have none of them, and there is no Job.
	OperatorImage string
	// ClusterDomain is the DNS domain of the cluster; DefaultClusterDomain if it is empty. Proxies are replaced when it changes.
	ClusterDomain string
}

// DefaultClusterDomain is the domain of a cluster whose kubelets have no other one.
const DefaultClusterDomain = "cluster.local"

// Controller returns the hooks of Memcached.
func Controller(config Config) composite.Controller {
	return composite.Controller{
		Name:      "memcached",
		Parent:    v1alpha1.SchemeGroupVersion.WithKind("Memcached"),
		Sync:      composite.Sync(config.sync),
		Customize: composite.Customize(customize),
	}
}

func customize(memcached *v1alpha1.Memcached) []composite.RelatedRule {
	memcached = memcached.WithDefaults()
	rules := []composite.RelatedRule{composite.RelatedPods(memcached.Namespace, children.NameLabel, memcached.Name)}
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload { // also until proxies and a Job that spec no longer has are gone
		rules = append(rules, composite.RelatedPods(memcached.Namespace, children.ProxyLabel, memcached.Name),
			composite.RelatedPods(memcached.Namespace, children.MoveLabel, memcached.Name))
	}
	return rules
}
