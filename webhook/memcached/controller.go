package memcached

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

// children and related declare what the sync hook observes.
type children struct {
	Deployments          composite.Group[object.Workload] `json:"Deployment.apps/v1"`
	StatefulSets         composite.Group[object.Workload] `json:"StatefulSet.apps/v1"`
	Services             composite.Group[object.Child]    `json:"Service.v1"`
	PodDisruptionBudgets composite.Group[object.Child]    `json:"PodDisruptionBudget.policy/v1"`
	NetworkPolicies      composite.Group[object.Child]    `json:"NetworkPolicy.networking.k8s.io/v1"`
	// ServiceMonitors come with the Prometheus operator.
	ServiceMonitors composite.OptionalGroup[object.Child] `json:"ServiceMonitor.monitoring.coreos.com/v1"`
}

// related holds the pods, and the workloads that have the name of ours, whoever owns them.
type related struct {
	Pods         composite.Group[object.Pod]            `json:"Pod.v1"`
	Deployments  composite.OptionalGroup[object.Holder] `json:"Deployment.apps/v1"`
	StatefulSets composite.OptionalGroup[object.Holder] `json:"StatefulSet.apps/v1"`
}

// Config is the hooks' configuration.
//
// +kubebuilder:object:generate=false
type Config struct {
	// SidecarImage is the image of this program, whose subcommand reload runs in the pods that need it. When it is empty,
	// new pods run without it.
	SidecarImage string
}

// Controller returns the hooks of Memcached.
func Controller(config Config) composite.Controller {
	return composite.Controller{
		Name:      "memcached",
		Parent:    Kind,
		Sync:      composite.Sync(config.sync),
		Customize: composite.Customize(customize),
	}
}
