package conditions

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

/*
The reasons of conditions that report a state, not a finding.

Available looks at the readiness of the pods and of the container that serves. Ready, Progressing and Degraded have these
reasons when no check finds anything.
*/
var (
	ReasonReplicaReady = NewReason(NoFinding, Documentation{ID: "ReplicaReady", Uses: []Use{{api.Available, metav1.ConditionTrue}},
		Meaning: "At least one pod is ready."})
	ReasonServing = NewReason(NoFinding, Documentation{ID: "Serving", Uses: []Use{{api.Available, metav1.ConditionTrue}},
		Meaning: "A pod serves clients, but either it is being deleted or another of its containers (the exporter, the reloader or hold) is not ready.",
		Remedy:  "`Progressing`, `Degraded` or `MetricsReady` shows the cause."})
	ReasonNoReplicaReady = NewReason(NoFinding, Documentation{ID: "NoReplicaReady", Uses: []Use{{api.Available, metav1.ConditionFalse}},
		Meaning: "No pod is ready, so clients are not served.",
		Remedy:  "If the cause is known, `Degraded` shows it."})
	ReasonNoProxyReady = NewReason(NoFinding, Documentation{ID: "NoProxyReady", Parent: "Memcached", Uses: []Use{{api.Available, metav1.ConditionFalse}},
		Meaning: "No proxy is ready, so clients are not served.",
		Remedy:  "If the cause is known, `Degraded` shows it."})
	ReasonScaledToZero = NewReason(NoFinding, Documentation{ID: "ScaledToZero",
		Uses:    []Use{{api.Available, metav1.ConditionFalse}, {api.Ready, metav1.ConditionTrue}},
		Meaning: "The desired number of pods is 0, and no pod runs."})
	ReasonAllReplicasReady = NewReason(NoFinding, Documentation{ID: "AllReplicasReady", Uses: []Use{{api.Ready, metav1.ConditionTrue}},
		Meaning: "All children match the desired state, and all pods are ready."})
	ReasonSettled = NewReason(NoFinding, Documentation{ID: "Settled", Uses: []Use{{api.Progressing, metav1.ConditionFalse}},
		Meaning: "The observed state matches the desired state."})
	ReasonAsExpected = NewReason(NoFinding, Documentation{ID: "AsExpected", Uses: []Use{{api.Degraded, metav1.ConditionFalse}},
		Meaning: "No problem has been found."})
)

func (a *Assessment) available() metav1.Condition {
	switch {
	case a.ProxyAssessment != nil && a.Rollout.Desired > 0 && a.ProxyAssessment.available().Status != metav1.ConditionTrue:
		return NewCondition(api.Available, metav1.ConditionFalse, ReasonNoProxyReady, "No proxy is ready.")
	case !a.unreachable && (a.Rollout.Ready > 0 || a.Rollout.readyPods > 0):
		return NewCondition(api.Available, metav1.ConditionTrue, ReasonReplicaReady, "At least one replica is ready.")
	case a.serves:
		return NewCondition(api.Available, metav1.ConditionTrue, ReasonServing, "At least one pod serves clients, but either it is being deleted or another of its containers is not ready.")
	case a.Rollout.exists && a.Rollout.Desired == 0:
		return NewCondition(api.Available, metav1.ConditionFalse, ReasonScaledToZero, "The desired number of replicas is 0.")
	}
	return NewCondition(api.Available, metav1.ConditionFalse, ReasonNoReplicaReady, "No replica is ready.")
}

// ready reports a problem before its effects on the progress.
func (a *Assessment) ready() metav1.Condition {
	if a.Problem != nil {
		return a.Problem.condition(api.Ready, metav1.ConditionFalse)
	}
	if progress := a.progress(); progress != nil {
		return NewCondition(api.Ready, metav1.ConditionFalse, progress.Reason, progress.Message)
	}
	if a.Rollout.Desired == 0 {
		return NewCondition(api.Ready, metav1.ConditionTrue, ReasonScaledToZero, "The desired number of replicas is 0, and no replica runs.")
	}
	return NewCondition(api.Ready, metav1.ConditionTrue, ReasonAllReplicasReady,
		fmt.Sprintf("%d of %d pods are updated and available.", a.Rollout.Available, a.Rollout.Desired-a.Rollout.Stuck))
}

// progress returns what does not match the desired state yet; nil if everything does.
func (a *Assessment) progress() *Progress {
	switch {
	case a.teardown != nil:
		return a.teardown
	case a.steps != nil:
		return a.steps
	case !a.Rollout.Settled():
		return a.Rollout.progress()
	case a.pending == nil && a.ProxyAssessment != nil:
		return a.ProxyAssessment.progressOfProxies()
	}
	return a.pending
}

// progressOfProxies returns the progress of proxies, which is reported together with that of the other pods.
func (a *Assessment) progressOfProxies() *Progress {
	progress := a.progress()
	if progress == nil {
		return nil
	}
	return &Progress{Reason: progress.Reason, Message: "Proxies: " + progress.Message}
}

func (a *Assessment) progressing() metav1.Condition {
	if a.Problem != nil && a.Problem.Reason.severity >= SeverityBlocker {
		return a.Problem.condition(api.Progressing, metav1.ConditionFalse)
	}
	if progress := a.progress(); progress != nil {
		return NewCondition(api.Progressing, metav1.ConditionTrue, progress.Reason, progress.Message)
	}
	return NewCondition(api.Progressing, metav1.ConditionFalse, ReasonSettled, "The observed state matches the desired state.")
}

func (a *Assessment) degraded() metav1.Condition {
	if a.Problem == nil {
		return NewCondition(api.Degraded, metav1.ConditionFalse, ReasonAsExpected, "No problem has been found.")
	}
	return a.Problem.condition(api.Degraded, metav1.ConditionTrue)
}
