// Package memcached runs Memcached: a parent of cache.example.com/v1alpha1 becomes a Deployment or a StatefulSet of memcached
// pods, a Service, a PodDisruptionBudget, a NetworkPolicy and a ServiceMonitor.
package memcached

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// childGroups and relatedGroups declare what the sync hook observes.
type childGroups struct {
	Deployments          composite.Group[observed.Workload] `json:"Deployment.apps/v1"`
	StatefulSets         composite.Group[observed.Workload] `json:"StatefulSet.apps/v1"`
	Services             composite.Group[observed.Child]    `json:"Service.v1"`
	PodDisruptionBudgets composite.Group[observed.Child]    `json:"PodDisruptionBudget.policy/v1"`
	NetworkPolicies      composite.Group[observed.Child]    `json:"NetworkPolicy.networking.k8s.io/v1"`
	// ServiceMonitors come with the Prometheus operator.
	ServiceMonitors composite.OptionalGroup[observed.Child] `json:"ServiceMonitor.monitoring.coreos.com/v1"`
}

// relatedGroups has the pods, and the workloads that have the name of ours, whoever owns them.
type relatedGroups struct {
	Pods         composite.Group[observed.Pod]            `json:"Pod.v1"`
	Deployments  composite.OptionalGroup[observed.Holder] `json:"Deployment.apps/v1"`
	StatefulSets composite.OptionalGroup[observed.Holder] `json:"StatefulSet.apps/v1"`
}

// Config is the hooks' configuration.
//
// +kubebuilder:object:generate=false
type Config struct {
	// ReloaderImage is the image of this program, whose subcommand reload runs in the pods that need it. When it is empty,
	// new pods run without it.
	ReloaderImage string
}

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
	return []composite.RelatedRule{
		composite.RelatedPods(memcached.Namespace, selectorLabels(memcached)),
		composite.RelatedObject("apps/v1", "deployments", memcached.Namespace, memcached.Name),
		composite.RelatedObject("apps/v1", "statefulsets", memcached.Namespace, memcached.Name),
	}
}
