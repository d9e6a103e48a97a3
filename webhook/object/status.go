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
	// readyReplicas is the number of pods that serve.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// selector selects the pods, as kubectl and a HorizontalPodAutoscaler read it.
	// +optional
	Selector string `json:"selector,omitempty"`
	// observedGeneration is the generation of the spec that this status is about. Metacontroller sets it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// conditions are Available (at least one pod serves), Ready (all that was asked for runs, up to date and ready),
	// Progressing (pods are on their way) and Degraded (something stands in the way; the message says what).
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Status reports on the rollout with the parent's live pods and the labels that select them. It follows on the status
// that was observed before: a condition keeps its time of transition while its status is the same.
func (r Rollout) Status(before ReplicaStatus, pods []*Pod, selector map[string]string, remedies Remedies, now metav1.Time) ReplicaStatus {
	return r.StatusWith(Conditions(r, Diagnose(pods, r, remedies, now)), before, pods, selector, now)
}

// StatusWith reports like [Rollout.Status], with conditions that the caller has made of [Conditions].
func (r Rollout) StatusWith(conditions []metav1.Condition, before ReplicaStatus, pods []*Pod, selector map[string]string, now metav1.Time) ReplicaStatus {
	return ReplicaStatus{
		Nodes:         Names(pods),
		Replicas:      r.Replicas,
		ReadyReplicas: r.Ready,
		Selector:      k8slabels.FormatLabels(selector),
		// Metacontroller sets it all the same; with it a status that is rendered without Metacontroller is whole.
		ObservedGeneration: r.generation,
		Conditions:         Stamp(conditions, before.Conditions, r.generation, now),
	}
}
