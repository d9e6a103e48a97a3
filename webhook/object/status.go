package object

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
)

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

// Status returns the status of the parent, with more conditions than every parent has. A condition keeps its time of
// transition while its status stays the same.
func (a *Assessment) Status(o *Observation, more ...metav1.Condition) ReplicaStatus {
	generation := o.Parent.GetGeneration()
	return ReplicaStatus{
		Nodes:         Names(o.Pods),
		Replicas:      a.Rollout.Replicas,
		ReadyReplicas: a.Rollout.Ready,
		Selector:      k8slabels.FormatLabels(o.Selector),
		// Metacontroller sets it as well. With it, a status that is rendered without Metacontroller is complete.
		ObservedGeneration: generation,
		Conditions:         Stamp(append(a.Conditions(), more...), o.Before.Conditions, generation, o.Now),
	}
}
