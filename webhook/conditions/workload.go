package conditions

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/observed"
)

// The reasons of a [Problem] of a workload.
const (
	ReasonReplicaFailure           = "ReplicaFailure"
	ReasonProgressDeadlineExceeded = "ProgressDeadlineExceeded"
	ReasonPaused                   = "Paused"
	ReasonPodsMissing              = "PodsMissing"
)

// missingPods returns the problem of a workload that has no pod at all, for example because a quota or an admission webhook
// refuses them. A StatefulSet does not report this itself.
func missingPods(o *Observation) *Problem {
	if o.Workload == nil || len(o.Children) == 0 || len(o.Pods) > 0 || o.Workload.Status.Replicas > 0 {
		return nil
	}
	if o.Rollout.Desired == 0 || ptr.Deref(o.Workload.Spec.Replicas, 0) == 0 {
		return nil
	}
	kind := o.Children[0].GetObjectKind().GroupVersionKind().Kind
	return &Problem{Reason: ReasonPodsMissing, Message: fmt.Sprintf(
		"%s %s has no pods. Check its Events: kubectl describe %s %s -n %s", kind, o.Workload.Name, strings.ToLower(kind), o.Workload.Name, o.Workload.Namespace)}
}

// replicaFailure returns the problem of a workload whose pods cannot be created.
//
// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
func replicaFailure(workload *observed.Workload) *Problem {
	failure := workloadCondition(workload, "ReplicaFailure", corev1.ConditionTrue)
	if failure == nil {
		return nil
	}
	return &Problem{Reason: ReasonReplicaFailure, Message: "Pods cannot be created: " + failure.Message, Stalled: true}
}

// progressDeadline returns the problem of a Deployment that has not progressed for progressDeadlineSeconds.
func progressDeadline(workload *observed.Workload) *Problem {
	failure := workloadCondition(workload, "Progressing", corev1.ConditionFalse)
	if failure == nil {
		return nil
	}
	return &Problem{Reason: ReasonProgressDeadlineExceeded, Message: "The rollout does not progress: " + failure.Message, Stalled: true}
}

// paused returns the problem of a paused Deployment. The operator does not set the field, so only a user can reset it.
func paused(workload *observed.Workload) *Problem {
	if workload == nil || !workload.Spec.Paused {
		return nil
	}
	return &Problem{Reason: ReasonPaused, Stalled: true, Message: fmt.Sprintf(
		"Deployment %s is paused, and changes are not rolled out. To resume, run: kubectl rollout resume deployment %s -n %s",
		workload.Name, workload.Name, workload.Namespace)}
}

func workloadCondition(workload *observed.Workload, kind string, status corev1.ConditionStatus) *observed.WorkloadCondition {
	if workload == nil {
		return nil
	}
	for i, condition := range workload.Status.Conditions {
		if condition.Type == kind && condition.Status == status {
			return &workload.Status.Conditions[i]
		}
	}
	return nil
}
