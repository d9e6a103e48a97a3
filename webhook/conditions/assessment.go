package conditions

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/observed"
)

// Observation is what a parent with replicas is assessed from.
type Observation struct {
	Parent metav1.Object
	// Before is the status that was observed.
	Before api.ReplicaStatus
	// Workload is nil while there is none. Holder is the object that has its name, nil when it is not observed.
	Workload *observed.Workload
	Holder   *observed.Holder
	// Leftover is an object of another kind of workload that has the parent's name, nil when there is none.
	Leftover *Leftover
	Rollout  Rollout
	// Pods are the live pods that Selector selects. Container is the container that serves in each of them.
	Pods      []*observed.Pod
	Selector  map[string]string
	Container string
	// Children are the desired children, the workload first; none while the parent is finalized. Observed returns the observed child for a desired one, nil when
	// there is none.
	Children []runtime.Object
	Observed func(desired runtime.Object) any
	// Steps describes a change of size that takes several steps, Teardown the finalizing of the parent, and Awaited what is
	// missing when all children are as desired. Each is nil when there is nothing to describe.
	Steps, Teardown, Awaited *Problem
	// LastStep is when the replicas changed last without a change of the parent.
	LastStep time.Time
	Remedies Remedies
	// Causes are the parent's own findings. They are more precise than what a workload reports of itself. Risks are findings
	// that matter only when nothing else is wrong.
	Causes, Risks []Finding
	Now           metav1.Time
}

// Assessment is everything that a parent's status follows from.
type Assessment struct {
	Rollout Rollout
	// Problem is what is wrong; nil when nothing is.
	Problem *Problem
	// Wait is the time after which the assessment may differ although no object changed; 0 when there is no such time.
	Wait time.Duration

	// pending is the first child that is not as desired, or what else is awaited.
	pending         *Problem
	steps, teardown *Problem
	// serves reports whether a pod serves although another of its containers may not be ready.
	serves bool
}

// Assess compares the observed state with the desired state. An error is a defect of the operator.
func Assess(o *Observation) (Assessment, error) {
	pending, err := pendingChild(o)
	if err != nil {
		return Assessment{}, err
	}
	found := First(slices.Concat(
		[]Finding{
			{Problem: diagnoseHolder(o)},
			{Problem: diagnoseLeftover(o)},
			diagnosePods(o.Pods, o.Remedies, o.Now),
			{Problem: replicaFailure(o.Workload)},
		},
		o.Causes,
		[]Finding{
			recentlyKilled(o.Pods, o.Remedies, o.Now),
			{Problem: paused(o.Workload)},
			{Problem: progressDeadline(o.Workload)},
			overdue(o, pending),
		},
		o.Risks,
	)...)
	assessment := newAssessment(o)
	assessment.Problem, assessment.Wait = found.Problem, found.Wait
	assessment.pending, assessment.steps, assessment.teardown = cmp.Or(pending, o.Awaited), o.Steps, o.Teardown
	return assessment, nil
}

// ReasonInvalidSpec is the reason of Ready and Degraded while the operator does not act on a spec.
const ReasonInvalidSpec = "InvalidSpec"

// InvalidStatus describes a parent whose spec is invalid, and whose children therefore stay as they are.
func InvalidStatus(o *Observation, cause error) api.ReplicaStatus {
	replicas := int32(0)
	if o.Workload != nil && o.Workload.Spec.Replicas != nil {
		replicas = *o.Workload.Spec.Replicas
	}
	o.Rollout = RolloutOf(o.Workload, replicas, o.Parent, o.Pods)
	assessment := newAssessment(o)
	assessment.Problem = &Problem{Reason: ReasonInvalidSpec, Message: cause.Error(), Stalled: true}
	return assessment.Status(o)
}

func newAssessment(o *Observation) Assessment {
	return Assessment{
		Rollout: o.Rollout,
		serves:  slices.ContainsFunc(o.Pods, func(pod *observed.Pod) bool { return pod.Serves(o.Container) }),
	}
}

// overduePeriod is how long a desired child or pod may be missing. Metacontroller and the workload controllers need a second
// or so.
const overduePeriod = time.Minute

// overdue returns the child or the pods that have been missing for too long.
func overdue(o *Observation, pending *Problem) Finding {
	if pending == nil {
		pending = missingPods(o)
	}
	if pending == nil {
		return Finding{}
	}
	if left := overduePeriod - o.Now.Sub(desiredSince(o)); left > 0 {
		return Finding{Wait: min(left, overduePeriod)}
	}
	// Nothing else happens when whatever refuses the child or has its name is gone, and Metacontroller tries again later and
	// later.
	return Finding{Problem: &Problem{Reason: pending.Reason, Message: pending.Message, Stalled: true}, Wait: overduePeriod}
}

// desiredSince returns the earliest time since which the observed state may have differed from the desired one. It is the
// latest of the times at which the parent stopped to be ready, its spec changed, its replicas changed by a step, and its
// workload was created.
func desiredSince(o *Observation) time.Time {
	ready := meta.FindStatusCondition(o.Before.Conditions, api.Ready)
	if ready == nil || ready.Status == metav1.ConditionTrue || o.Before.ObservedGeneration < o.Parent.GetGeneration() && o.Before.ObservedGeneration > 0 {
		return o.Now.Time
	}
	since := later(ready.LastTransitionTime.Time, o.LastStep)
	for _, entry := range o.Parent.GetManagedFields() {
		if entry.Subresource != "status" && entry.Time != nil {
			since = later(since, entry.Time.Time)
		}
	}
	if o.Workload != nil {
		since = later(since, o.Workload.CreationTimestamp)
	}
	return since
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
