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

// Input is what a parent with replicas is assessed from.
type Input struct {
	// Parent is the observed parent.
	Parent metav1.Object
	// Before is the observed status of the parent.
	Before api.ReplicaStatus
	// Workload is the parent's Deployment or StatefulSet; nil if there is none.
	Workload *observed.Workload
	// Rollout compares the desired replicas with the observed ones. See [RolloutOf].
	Rollout Rollout
	// Pods are the live pods that Selector selects.
	Pods []*observed.Pod
	// InUse are the pods that clients reach, also those that are being deleted and still serve; nil if clients reach all of Pods.
	InUse []*observed.Pod
	// Selector has the labels of the parent's pods.
	Selector map[string]string
	// Container is the name of the container that serves in each pod.
	Container string
	// Children are the desired children, the workload first; none while the parent is finalized.
	Children []runtime.Object
	// Child returns the observed child of the same kind and name as a desired one; nil if there is none.
	Child func(desired runtime.Object) any
	// Steps describes a change of size that takes several steps or phases; nil if there is none.
	Steps *Progress
	// LastStep is the last time at which the replicas changed without a change of the parent.
	LastStep time.Time
	// Teardown describes the finalization of the parent; nil while the parent is not finalized.
	Teardown *Progress
	// Awaited is what is missing although all children match the desired state; nil if nothing is.
	Awaited *Progress
	// RoomRemedy is what to do if the cluster has no room for the pods of a change; "" if there is nothing else than to make room.
	RoomRemedy string
	// SpecField returns the fields of spec that set those of the pod templates; nil if it knows none.
	SpecField SpecField
	// Remedies are what to do about containers that do not run.
	Remedies Remedies
	// Claim describes the volume claim of each pod; nil if pods have none.
	Claim *Claim
	// ProxyAssessment is the assessment of the pods through which clients reach Pods; nil if clients reach Pods directly.
	ProxyAssessment *Assessment
	// Now is the time of the sync.
	Now metav1.Time
}

// checked is what a check looks at.
type checked struct {
	*Input
	// pending is the first child that does not match the desired state; nil if there is none.
	pending *Progress
	// changed is what others have changed in a child that matches the desired state; nil if there is nothing.
	changed *Risk
	// findings are those of the parent's own checks.
	findings []Finding
}

// Assessment is everything that a parent's status follows from.
type Assessment struct {
	Rollout Rollout
	// Problem is what is wrong; nil if nothing is.
	Problem *Problem
	// Risk is what may become a problem; nil if nothing may.
	Risk *Risk
	// Wait is the time after which the assessment may differ although no object changed; 0 if there is no such time.
	Wait time.Duration
	// ProxyAssessment is Input.ProxyAssessment.
	ProxyAssessment *Assessment

	input *Input
	// pending is the first child that does not match the desired state, or else Input.Awaited.
	pending         *Progress
	steps, teardown *Progress
	// serves reports whether a pod that clients reach serves, even if another of its containers is not ready. unreachable reports whether
	// only pods that they do not reach may be ready.
	serves, unreachable bool
}

// Assess compares the observed state with the desired state. The first problem that a check finds is the parent's problem, and the
// first risk its risk. findings are those of the parent's own checks, whose problems are more precise than what a workload reports of
// itself. An error is a defect of the operator.
func Assess(in *Input, findings ...Finding) (Assessment, error) {
	pending, changed, err := compareChildren(in)
	if err != nil {
		return Assessment{}, err
	}
	var found Finding
	for _, check := range checks {
		found = Merge(found, check(checked{in, pending, changed, findings}))
	}
	assessment := newAssessment(in)
	assessment.Problem, assessment.Risk, assessment.Wait = found.Problem, found.Risk, found.Wait
	if p := found.Problem; p != nil && slices.Contains(reasonsWithoutRoom, p.Reason) {
		assessment.Problem = new(*p) // the proxies may have it too
		assessment.Problem.Remedy = in.RoomRemedy
	}
	assessment.pending, assessment.steps, assessment.teardown = cmp.Or(pending, in.Awaited), in.Steps, in.Teardown
	return assessment, nil
}

// reasonsWithoutRoom are those of pods that the cluster may have no room for.
var reasonsWithoutRoom = []Reason{ReasonReplicaFailure, ReasonPodsMissing, ReasonUnschedulable, ReasonVolumeClaimPending}

func newAssessment(in *Input) Assessment {
	used := in.InUse
	if used == nil {
		used = in.Pods
	}
	return Assessment{
		Rollout:         in.Rollout,
		ProxyAssessment: in.ProxyAssessment,
		input:           in,
		serves:          slices.ContainsFunc(used, func(pod *observed.Pod) bool { return pod.Serves(in.Container) }),
		unreachable:     in.InUse != nil && !slices.ContainsFunc(used, (*observed.Pod).Ready),
	}
}

func ofProxies(c checked) Finding {
	if c.ProxyAssessment == nil {
		return Finding{}
	}
	found := Finding{Problem: c.ProxyAssessment.Problem, Risk: c.ProxyAssessment.Risk, Wait: c.ProxyAssessment.Wait}
	if found.Risk != nil && found.Risk.Reason == ReasonChangedByOthers {
		found.Risk = nil // the children of the proxies are among those of the servers, which come first
	}
	return found
}

func ofParent(c checked) Finding { return Merge(c.findings...) }
