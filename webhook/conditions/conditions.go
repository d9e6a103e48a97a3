package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

// This file lists the conditions, checks and reasons of all kinds. A new one is a file and a line here. The check failingPods calls those
// of pods.

// Conditions returns the four conditions that every parent with replicas has, and [api.AtRisk] and [api.Stalled] while they
// apply.
//
// AtRisk is no reason why Ready is False: tools that wait by the rules of kstatus would treat a cache that serves well as a
// failure. Like Stalled, it exists only while it is True, as kstatus recommends for conditions that report something abnormal.
func (a *Assessment) Conditions() []metav1.Condition {
	progressing := a.progressing()
	all := []metav1.Condition{a.available(), a.ready(), progressing, a.degraded()}
	if a.Risk != nil {
		all = append(all, NewCondition(api.AtRisk, metav1.ConditionTrue, a.Risk.Reason, a.Risk.Message))
	}
	if a.Problem != nil && a.Problem.Reason.severity >= SeverityStalled && progressing.Status == metav1.ConditionFalse {
		all = append(all, a.Problem.condition(api.Stalled, metav1.ConditionTrue))
	}
	return all
}

// checks are all checks, in the order in which their problems and risks count.
var checks = []func(checked) Finding{
	orphaned,
	exposed,
	failingPods,
	recentlyKilled,
	replicaFailure,
	ofProxies,
	ofParent,
	paused,
	progressDeadline,
	overdue,
	changedByOthers,
}

// Reasons are the reasons of this package. Each package with reasons has such a list, and package parents joins them.
var Reasons = []Reason{
	ReasonReplicaReady, ReasonServing, ReasonNoReplicaReady, ReasonNoProxyReady, ReasonScaledToZero, ReasonAllReplicasReady, ReasonSettled,
	ReasonAsExpected, ReasonRollingOut, ReasonMinReadySeconds, ReasonInvalidSpec, ReasonOrphaned, ReasonChildMissing, ReasonChildOutdated, ReasonChangedByOthers,
	ReasonOpenToAll, ReasonPaused, ReasonReplicaFailure, ReasonPodsMissing, ReasonProgressDeadlineExceeded,
	ReasonUnschedulable, ReasonVolumeClaimPending, ReasonImagePullBackOff, ReasonNotStarted, ReasonCrashLoopBackOff, ReasonOOMKilled,
}
