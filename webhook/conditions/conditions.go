package conditions

import (
	"fmt"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

// The reasons of a parent's conditions. While a parent is Degraded, Ready and Degraded have the reason of its [Problem].
const (
	ReasonReplicaReady     = "ReplicaReady"
	ReasonServing          = "Serving"
	ReasonNoReplicaReady   = "NoReplicaReady"
	ReasonNoProxyReady     = "NoProxyReady"
	ReasonScaledToZero     = "ScaledToZero"
	ReasonAllReplicasReady = "AllReplicasReady"
	ReasonRollingOut       = "RollingOut"
	ReasonMinReadySeconds  = "MinReadySeconds"
	ReasonSettled          = "Settled"
	ReasonAsExpected       = "AsExpected"
)

// maxMessage is the maximum length of a condition's message, in characters. The API server refuses messages above 32768
// bytes, and a message that long does not help a reader.
const maxMessage = 1000

// Conditions returns the four conditions that every parent with replicas has, and [api.Stalled] while it applies.
func (a *Assessment) Conditions() []metav1.Condition {
	progressing := a.progressing()
	all := []metav1.Condition{a.available(), a.ready(), progressing, a.degraded()}
	if a.Problem != nil && progressing.Status == metav1.ConditionFalse {
		all = append(all, NewCondition(api.Stalled, metav1.ConditionTrue, a.Problem.Reason, a.Problem.Message))
	}
	return all
}

func (a *Assessment) available() metav1.Condition {
	switch {
	case a.Front != nil && a.Rollout.Desired > 0 && a.Front.available().Status != metav1.ConditionTrue:
		return NewCondition(api.Available, metav1.ConditionFalse, ReasonNoProxyReady, "No proxy is ready.")
	case a.Rollout.Ready > 0 || a.Rollout.readyPods > 0:
		return NewCondition(api.Available, metav1.ConditionTrue, ReasonReplicaReady, "At least one replica is ready.")
	case a.serves:
		return NewCondition(api.Available, metav1.ConditionTrue, ReasonServing, "At least one pod serves, although another of its containers is not ready.")
	case a.Rollout.exists && a.Rollout.Desired == 0:
		return NewCondition(api.Available, metav1.ConditionFalse, ReasonScaledToZero, "No replica is desired.")
	}
	return NewCondition(api.Available, metav1.ConditionFalse, ReasonNoReplicaReady, "No replica is ready.")
}

func (a *Assessment) ready() metav1.Condition {
	if waiting := a.waiting(); waiting != nil {
		return NewCondition(api.Ready, metav1.ConditionFalse, waiting.Reason, waiting.Message)
	}
	if a.Rollout.Desired == 0 {
		return NewCondition(api.Ready, metav1.ConditionTrue, ReasonScaledToZero, "No replica is desired, and none runs.")
	}
	return NewCondition(api.Ready, metav1.ConditionTrue, ReasonAllReplicasReady,
		fmt.Sprintf("%d of %d replicas are updated and available.", a.Rollout.Available, a.Rollout.Desired))
}

// waiting returns why the parent is not ready, the cause before its effects; nil when the parent is ready.
func (a *Assessment) waiting() *Problem {
	if a.Problem != nil {
		return a.Problem
	}
	return a.progress()
}

// progress returns what does not match the desired state yet; nil when everything does.
func (a *Assessment) progress() *Problem {
	switch {
	case a.teardown != nil:
		return a.teardown
	case a.steps != nil:
		return a.steps
	case !a.Rollout.Settled():
		return &Problem{Reason: a.Rollout.reason(), Message: a.Rollout.String()}
	case a.pending == nil && a.Front != nil:
		return a.Front.frontProgress()
	}
	return a.pending
}

// frontProgress returns the progress of the pods in front, which is reported together with that of the pods behind them.
func (a *Assessment) frontProgress() *Problem {
	progress := a.progress()
	if progress == nil {
		return nil
	}
	return &Problem{Reason: progress.Reason, Message: "Proxies: " + progress.Message}
}

func (a *Assessment) progressing() metav1.Condition {
	if a.Problem != nil && a.Problem.Stalled {
		return NewCondition(api.Progressing, metav1.ConditionFalse, a.Problem.Reason, a.Problem.Message)
	}
	if progress := a.progress(); progress != nil {
		return NewCondition(api.Progressing, metav1.ConditionTrue, progress.Reason, progress.Message)
	}
	return NewCondition(api.Progressing, metav1.ConditionFalse, ReasonSettled, "The observed state is the desired state.")
}

func (a *Assessment) degraded() metav1.Condition {
	if a.Problem == nil {
		return NewCondition(api.Degraded, metav1.ConditionFalse, ReasonAsExpected, "No problem is observed.")
	}
	return NewCondition(api.Degraded, metav1.ConditionTrue, a.Problem.Reason, a.Problem.Message)
}

// NewCondition returns a condition that the API server accepts. Reason and message may come from a kubelet or a registry.
func NewCondition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: validReason(reason), Message: shortened(message)}
}

// validReason returns the letters and digits of a reason, from the first letter on; "Unknown" when there is no letter.
//
// https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#Condition
func validReason(reason string) string {
	isLetter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	kept := strings.Map(func(r rune) rune {
		if isLetter(r) || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, reason)
	kept = strings.TrimLeft(kept, "0123456789")
	if kept == "" {
		return "Unknown"
	}
	return kept[:min(len(kept), 256)]
}

func shortened(message string) string {
	message = strings.ToValidUTF8(message, "")
	if utf8.RuneCountInString(message) <= maxMessage {
		return message
	}
	return string([]rune(message)[:maxMessage-1]) + "…"
}
