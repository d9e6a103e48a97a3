package conditions

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

// The reasons of a [Problem] of a workload.
const (
	ReasonReplicaFailure           = "ReplicaFailure"
	ReasonProgressDeadlineExceeded = "ProgressDeadlineExceeded"
	ReasonPaused                   = "Paused"
	ReasonPodsMissing              = "PodsMissing"
)

// observedChild is a child of any kind.
type observedChild interface {
	merge.Observed
	Terminating() bool
}

// pendingChild returns the first desired child that is missing or differs from the desired one, nil when there is none.
func pendingChild(o *Observation) (*Problem, error) {
	for _, desired := range o.Children {
		problem, err := pending(desired, o.Observed(desired))
		if problem != nil || err != nil {
			return problem, err
		}
	}
	return nil, nil
}

// pending compares one child. Its reason begins with the kind: ServiceMissing, NetworkPolicyOutdated.
func pending(desired runtime.Object, child any) (*Problem, error) {
	kind, name := desired.GetObjectKind().GroupVersionKind().Kind, desired.(metav1.Object).GetName()
	present, found := child.(observedChild)
	if !found {
		return &Problem{Reason: kind + "Missing", Message: fmt.Sprintf(
			"%s %s does not exist, or belongs to another owner. An Event of this resource says when the API server refuses it.", kind, name)}, nil
	}
	if present.Terminating() {
		return &Problem{Reason: kind + "Missing", Message: fmt.Sprintf("%s %s is being deleted. It is created again after that.", kind, name)}, nil
	}
	field, err := merge.Difference(desired, present)
	if err != nil {
		return nil, fmt.Errorf("comparing %s %s: %w", kind, name, err)
	}
	if field == "" {
		return nil, nil
	}
	return &Problem{Reason: kind + "Outdated", Message: fmt.Sprintf(
		"%s %s differs from the desired state in %s. An Event of this resource says when the API server refuses the update.", kind, name, field)}, nil
}

// missingPods returns that a workload has no pod at all, as when a quota or an admission webhook refuses them. A StatefulSet
// does not report that.
func missingPods(o *Observation) *Problem {
	if o.Workload == nil || len(o.Children) == 0 || len(o.Pods) > 0 || o.Workload.Status.Replicas > 0 {
		return nil
	}
	if o.Rollout.Desired == 0 || o.Workload.Spec.Replicas == nil || *o.Workload.Spec.Replicas == 0 {
		return nil
	}
	kind := o.Children[0].GetObjectKind().GroupVersionKind().Kind
	return &Problem{Reason: ReasonPodsMissing, Message: fmt.Sprintf(
		"%s %s has no pods. Its Events say why: kubectl describe %s %s -n %s", kind, o.Workload.Name, strings.ToLower(kind), o.Workload.Name, o.Workload.Namespace)}
}

// replicaFailure returns that pods cannot be created.
//
// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
func replicaFailure(workload *observed.Workload) *Problem {
	failure := workloadCondition(workload, "ReplicaFailure", corev1.ConditionTrue)
	if failure == nil {
		return nil
	}
	return &Problem{Reason: ReasonReplicaFailure, Message: "Pods cannot be created: " + failure.Message, Stalled: true}
}

// progressDeadline returns that a Deployment has not progressed for progressDeadlineSeconds.
func progressDeadline(workload *observed.Workload) *Problem {
	failure := workloadCondition(workload, "Progressing", corev1.ConditionFalse)
	if failure == nil {
		return nil
	}
	return &Problem{Reason: ReasonProgressDeadlineExceeded, Message: "The rollout does not progress: " + failure.Message, Stalled: true}
}

// paused returns that somebody paused a Deployment. The operator does not set the field, so nothing sets it back.
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
