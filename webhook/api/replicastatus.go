// Package api holds the types that the APIs of several parents share.
package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ReplicaStatus is the part of the status that all parents with replicas have. Their status types embed it.
//
// +kubebuilder:object:generate=true
type ReplicaStatus struct {
	// nodes are the names of the pods, sorted. Pods that are being deleted or have finished are not included.
	// +optional
	// +listType=atomic
	Nodes []string `json:"nodes"`
	// replicas is the number of pods of the workload.
	// +optional
	Replicas int32 `json:"replicas"`
	// readyReplicas is the number of pods that are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// selector is the label selector of the pods. kubectl and the HorizontalPodAutoscaler use it.
	// +optional
	Selector string `json:"selector,omitempty"`
	// observedGeneration is the generation of the spec that this status describes. Metacontroller sets it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// conditions are the conditions of the resource. Available: at least one pod serves. Ready: the observed state matches the desired state.
	// Progressing: pods or other children are changing to the desired state. Degraded: there is a problem, which the message describes.
	// Ready and Degraded are never both True. Two conditions exist only while they are True. AtRisk: a problem is likely later. Stalled:
	// there is a problem, and nothing progresses until a user acts.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// The types of a parent's conditions.
const (
	// Available reports whether at least one pod serves.
	Available = "Available"
	// Ready reports whether the observed state is the desired state. It is never True while Degraded is True.
	Ready = "Ready"
	// Progressing reports whether the pods or other children are changing to the desired state.
	Progressing = "Progressing"
	// Degraded reports whether there is a problem: something serves badly, or a change is stuck.
	Degraded = "Degraded"
	// AtRisk is True while the parent may get a problem, and does not exist otherwise. It does not affect the other conditions.
	AtRisk = "AtRisk"
	// Stalled is True while nothing progresses because of a problem that remains until a user acts, and does not exist otherwise. Tools that
	// wait by the rules of kstatus, such as Flux, then fail immediately.
	//
	// https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
	Stalled = "Stalled"
)
