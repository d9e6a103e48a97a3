// Package conditions compares the observed state of a parent with the desired state, diagnoses what is wrong, and returns
// the conditions of its status. All conditions of one sync derive from one [Assessment].
package conditions

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/observed"
)

// Observation is what a parent with replicas is assessed from.
type Observation struct {
	// Parent is the observed parent.
	Parent metav1.Object
	// Before is the observed status of the parent.
	Before api.ReplicaStatus
	// Workload is the parent's Deployment or StatefulSet; nil when there is none.
	Workload *observed.Workload
	// Rollout compares the desired replicas with the observed ones. See [RolloutOf].
	Rollout Rollout
	// Pods are the live pods that Selector selects.
	Pods []*observed.Pod
	// Selector has the labels of the parent's pods.
	Selector map[string]string
	// Container is the name of the container that serves in each pod.
	Container string
	// Children are the desired children, the workload first; none while the parent is finalized.
	Children []runtime.Object
	// Observed returns the observed child of the same kind and name as a desired one; nil when there is none.
	Observed func(desired runtime.Object) any
	// Steps describes a change of size that takes several steps or phases; nil when there is none.
	Steps *Problem
	// LastStep is the last time at which the replicas changed without a change of the parent.
	LastStep time.Time
	// Teardown describes the finalization of the parent; nil while the parent is not finalized.
	Teardown *Problem
	// Awaited is what is missing although all children match the desired state; nil when nothing is.
	Awaited *Problem
	// Remedies are what to do about containers that do not run.
	Remedies Remedies
	// Claim describes the volume claim of each pod; nil when pods have none.
	Claim *Claim
	// Causes are the parent's own findings. They are more precise than what a workload reports of itself.
	Causes []Finding
	// Risks are the parent's own findings that matter only when nothing else is wrong.
	Risks []Finding
	// Front is the assessment of the pods through which clients reach Pods; nil when clients reach Pods directly.
	Front *Assessment
	// Now is the time of the sync.
	Now metav1.Time
}

// Assessment is everything that a parent's status follows from.
type Assessment struct {
	Rollout Rollout
	// Problem is what is wrong; nil when nothing is.
	Problem *Problem
	// Wait is the time after which the assessment may differ although no object changed; 0 when there is no such time.
	Wait time.Duration

	// pending is the first child that does not match the desired state, or else Observation.Awaited.
	pending         *Problem
	steps, teardown *Problem
	// serves reports whether a pod serves, even if another of its containers is not ready.
	serves bool
	// Front is Observation.Front.
	Front *Assessment
}

// Assess compares the observed state with the desired state. The first problem that it finds is the parent's problem. An
// error is a defect of the operator.
func Assess(o *Observation) (Assessment, error) {
	pending, err := pendingChild(o)
	if err != nil {
		return Assessment{}, err
	}
	late := overdue(o, pending)
	found := First(slices.Concat(
		[]Finding{
			adoption(late),
			diagnosePods(o.Pods, o.Remedies, o.Claim, o.Now),
			{Problem: replicaFailure(o.Workload)},
			frontProblem(o.Front),
		},
		o.Causes,
		[]Finding{
			recentlyKilled(o.Pods, o.Remedies, o.Now),
			{Problem: paused(o.Workload)},
			{Problem: progressDeadline(o.Workload)},
			late,
		},
		o.Risks,
	)...)
	assessment := newAssessment(o)
	assessment.Problem, assessment.Wait = found.Problem, found.Wait
	assessment.pending, assessment.steps, assessment.teardown = cmp.Or(pending, o.Awaited), o.Steps, o.Teardown
	return assessment, nil
}

func newAssessment(o *Observation) Assessment {
	return Assessment{
		Rollout: o.Rollout,
		Front:   o.Front,
		serves:  slices.ContainsFunc(o.Pods, func(pod *observed.Pod) bool { return pod.Serves(o.Container) }),
	}
}

// frontProblem returns what is wrong with the pods in front.
func frontProblem(front *Assessment) Finding {
	if front == nil {
		return Finding{}
	}
	return Finding{Problem: front.Problem, Wait: front.Wait}
}
