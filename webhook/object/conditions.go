package object

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The types of a parent's conditions.
const (
	// Available says that at least one replica serves.
	Available = "Available"
	// Ready says that all that was asked for runs, up to date and ready.
	Ready = "Ready"
	// Progressing says that replicas, or what else the parent needs, are on their way to what was asked for.
	Progressing = "Progressing"
	// Degraded says that something stands in the way, and what.
	Degraded = "Degraded"
)

// The reasons of a parent's conditions. A Degraded parent has the reason of its [Problem].
const (
	ReasonReplicaReady     = "ReplicaReady"
	ReasonNoReplicaReady   = "NoReplicaReady"
	ReasonScaledToZero     = "ScaledToZero"
	ReasonAllReplicasReady = "AllReplicasReady"
	ReasonRollingOut       = "RollingOut"
	ReasonMinReadySeconds  = "MinReadySeconds"
	ReasonSettled          = "Settled"
	ReasonAsExpected       = "AsExpected"
)

// Conditions returns the four conditions of a parent whose replicas are rolled out so; problem is nil when nothing
// stands in the way.
func Conditions(rollout Rollout, problem *Problem) []metav1.Condition {
	return []metav1.Condition{available(rollout), ready(rollout, problem), progressing(rollout), degraded(problem)}
}

func available(rollout Rollout) metav1.Condition {
	switch {
	case rollout.Ready > 0:
		return condition(Available, true, ReasonReplicaReady, "at least one replica is ready")
	case rollout.Desired == 0:
		return condition(Available, false, ReasonScaledToZero, "no replica is asked for")
	}
	return condition(Available, false, ReasonNoReplicaReady, "no replica is ready")
}

func ready(rollout Rollout, problem *Problem) metav1.Condition {
	switch {
	case rollout.Held != nil:
		return condition(Ready, false, rollout.Held.Reason, rollout.Held.Message)
	case rollout.Settled() && rollout.Desired == 0:
		return condition(Ready, true, ReasonScaledToZero, "no replica is asked for and none runs")
	case rollout.Settled():
		return condition(Ready, true, ReasonAllReplicasReady, fmt.Sprintf("all %d replicas are up to date and ready", rollout.Desired))
	case problem != nil:
		return condition(Ready, false, problem.Reason, problem.Message)
	}
	return condition(Ready, false, rollout.reason(), rollout.String())
}

func progressing(rollout Rollout) metav1.Condition {
	if rollout.Held != nil {
		return condition(Progressing, true, rollout.Held.Reason, rollout.Held.Message)
	}
	if rollout.Settled() {
		return condition(Progressing, false, ReasonSettled, "the replicas are as asked for")
	}
	return condition(Progressing, true, rollout.reason(), rollout.String())
}

// reason is what a rollout that is not settled waits for.
func (r Rollout) reason() string {
	if r.onlyAge() {
		return ReasonMinReadySeconds
	}
	return ReasonRollingOut
}

func degraded(problem *Problem) metav1.Condition {
	if problem == nil {
		return condition(Degraded, false, ReasonAsExpected, "nothing stands in the way")
	}
	return condition(Degraded, true, problem.Reason, problem.Message)
}

func condition(kind string, holds bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if holds {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

// Stamp dates the conditions: one whose status is as observed keeps its time of transition, for a status that changes
// at every sync never settles.
func Stamp(conditions, observed []metav1.Condition, generation int64, now metav1.Time) []metav1.Condition {
	stamped := make([]metav1.Condition, 0, len(conditions))
	for _, condition := range conditions {
		condition.ObservedGeneration = generation
		condition.LastTransitionTime = now
		if before := meta.FindStatusCondition(observed, condition.Type); before != nil && before.Status == condition.Status {
			condition.LastTransitionTime = before.LastTransitionTime
		}
		stamped = append(stamped, condition)
	}
	return stamped
}
