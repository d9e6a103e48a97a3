package conditions

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/observed"
)

// ReasonInvalidSpec is for a spec that the API server accepted and validation of the hook rejects.
var ReasonInvalidSpec = NewReason(SeverityBlocker, Documentation{ID: "InvalidSpec",
	Meaning: "The API server accepts the spec, but the operator rejects it. The message names the field. The children do not change. For a `Memcached`, the message also lists missing children, which are not created until the spec is valid.",
	Remedy:  "Correct the field. If the message mentions `childResources`, [the CompositeController does not list a kind](install.md#your-own-kustomization) that the field requires."})

// Status returns the status of the parent. It has the conditions of every parent with replicas, and the additional ones.
func (a *Assessment) Status(additional ...metav1.Condition) api.ReplicaStatus {
	o := a.input
	generation := o.Parent.GetGeneration()
	return api.ReplicaStatus{
		Nodes:         observed.PodNames(o.Pods),
		Replicas:      a.Rollout.Replicas,
		ReadyReplicas: a.Rollout.Ready,
		Selector:      k8slabels.FormatLabels(o.Selector),
		// Metacontroller sets it as well. With it, a status that is rendered without Metacontroller is complete.
		ObservedGeneration: generation,
		Conditions:         Stamp(append(a.Conditions(), additional...), o.Before.Conditions, generation, o.Now),
	}
}

// InvalidStatus returns the status of a parent whose spec is invalid, and whose children therefore stay unchanged.
func InvalidStatus(in *Input, cause error) api.ReplicaStatus {
	replicas := int32(0)
	if in.Workload != nil {
		replicas = ptr.Deref(in.Workload.Spec.Replicas, 0)
	}
	unchanged := *in
	unchanged.Rollout = RolloutOf(in.Workload, replicas, in.Parent, in.Pods)
	assessment := newAssessment(&unchanged)
	assessment.Problem = ReasonInvalidSpec.Problem("%v", cause)
	return assessment.Status()
}

// WasValid reports whether the conditions before say that the spec was valid.
func WasValid(before []metav1.Condition) bool {
	ready := meta.FindStatusCondition(before, api.Ready)
	return ready != nil && ready.Reason != ReasonInvalidSpec.id
}

// Stamp sets the generation and the times of conditions. A condition whose status did not change keeps its last transition
// time: a status that changes at every sync never settles.
func Stamp(conditions, before []metav1.Condition, generation int64, now metav1.Time) []metav1.Condition {
	stamped := make([]metav1.Condition, 0, len(conditions))
	for _, condition := range conditions {
		condition.ObservedGeneration = generation
		condition.LastTransitionTime = now
		if last := meta.FindStatusCondition(before, condition.Type); last != nil && last.Status == condition.Status {
			condition.LastTransitionTime = last.LastTransitionTime
		}
		stamped = append(stamped, condition)
	}
	return stamped
}
