// Package api holds the types that the APIs of several parents share.
package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ReplicaStatus is what every parent with replicas reports; its own status embeds it.
//
// +kubebuilder:object:generate=true
type ReplicaStatus struct {
	// nodes are the names of the live pods, sorted. A pod that is being deleted or has finished is not among them.
	// +optional
	// +listType=atomic
	Nodes []string `json:"nodes"`
	// replicas is the number of pods that the workload has.
	// +optional
	Replicas int32 `json:"replicas"`
	// readyReplicas is the number of pods that are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// selector selects the pods, as kubectl and a HorizontalPodAutoscaler read it.
	// +optional
	Selector string `json:"selector,omitempty"`
	// observedGeneration is the generation of the spec that this status describes. Metacontroller sets it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// conditions are Available (at least one pod serves), Ready (everything that spec desires runs, updated and ready),
	// Progressing (something is on its way to the desired state) and Degraded (something is wrong, and the message says
	// what). Ready and Degraded are never both True.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// The types of a parent's conditions.
const (
	// Available reports whether at least one replica serves.
	Available = "Available"
	// Ready reports whether everything that spec desires runs, updated and ready. It is never True while Degraded is.
	Ready = "Ready"
	// Progressing reports whether replicas or other children are on their way to the desired state.
	Progressing = "Progressing"
	// Degraded reports whether something is wrong, and what.
	Degraded = "Degraded"
)
