package memcached

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// SecretsCurrent says that memcached uses what its Secrets hold. A cache that has none, or reads them at each login, does
// not have it.
const SecretsCurrent = "SecretsCurrent"

// The reasons of SecretsCurrent. ReasonSecretNotReloaded is one of Degraded too.
const (
	ReasonUnchanged         = "Unchanged"
	ReasonReloaded          = "Reloaded"
	ReasonReloading         = "Reloading"
	ReasonSecretNotReloaded = "SecretNotReloaded"
	ReasonReadAtStart       = "ReadAtStart"
)

// spreadOfReloads is by how much two pods may differ in when the kubelet brings a Secret up to date: it looks once in a
// minute or so.
const spreadOfReloads = 3 * time.Minute

// secretsCurrent reads from the pods what their reloaders told when they ended; nil where there is nothing to reload. wait
// is the time after which it may be another although nothing else changes; 0 for never.
func secretsCurrent(spec *Spec, reloaderImage string, pods []*object.Pod, now metav1.Time) (condition *metav1.Condition, wait time.Duration) {
	if !spec.reloads() {
		return nil, 0
	}
	says := func(status metav1.ConditionStatus, reason, message string) (*metav1.Condition, time.Duration) {
		return &metav1.Condition{Type: SecretsCurrent, Status: status, Reason: reason, Message: message}, wait
	}
	if reloaderImage == "" {
		return says(metav1.ConditionUnknown, ReasonReadAtStart, fmt.Sprintf("memcached reads %s when it starts, and a change of it takes effect with the next start: the hook runs without -sidecar-image, whose program would have it read again", secretNames(spec)))
	}
	problem, _ := notMounted(spec, pods, now)
	if problem == nil {
		problem = notReloaded(spec, pods)
	}
	if problem != nil {
		return says(metav1.ConditionFalse, problem.Reason, problem.Message)
	}
	last, where := lastReload(pods)
	if last == nil {
		return says(metav1.ConditionTrue, ReasonUnchanged, secretNames(spec)+" has not changed since the pods started")
	}
	current := 0
	for _, pod := range pods {
		if took(pod, last.FinishedAt.Time, now) {
			current++
		}
	}
	told := fmt.Sprintf("%d of %d pods have taken the change of %s; the last was %s at %s: %s", current, len(pods), secretNames(spec), where, last.FinishedAt.UTC().Format(time.RFC3339), last.Message)
	if current < len(pods) {
		wait = max(last.FinishedAt.Add(spreadOfReloads).Sub(now.Time), 0)
		return says(metav1.ConditionFalse, ReasonReloading, told)
	}
	return says(metav1.ConditionTrue, ReasonReloaded, told)
}

// notReloaded is the problem of the first pod whose memcached does not take a Secret that has changed. It runs on with
// what it has.
func notReloaded(spec *Spec, pods []*object.Pod) *object.Problem {
	for _, pod := range pods {
		if ended := reloaderEnded(pod); ended != nil && ended.ExitCode == 1 && ended.Message != "" {
			return &object.Problem{Reason: ReasonSecretNotReloaded, Message: fmt.Sprintf(
				"pod %s: memcached does not take what %s holds: %s", pod.Name, secretNames(spec), ended.Message)}
		}
	}
	return nil
}

// lastReload is the last change that a pod has taken, and the pod's name.
func lastReload(pods []*object.Pod) (last *object.ContainerTerminated, pod string) {
	for _, each := range pods {
		ended := reloaderEnded(each)
		if ended != nil && ended.ExitCode == 0 && ended.Message != "" && (last == nil || ended.FinishedAt.After(last.FinishedAt.Time)) {
			last, pod = ended, each.Name
		}
	}
	return last, pod
}

// reloaderEnded is how the reloader ended last; nil if it never did.
func reloaderEnded(pod *object.Pod) *object.ContainerTerminated {
	for _, container := range pod.Status.ContainerStatuses {
		if container.Name != reloaderName {
			continue
		}
		if container.State.Terminated != nil {
			return container.State.Terminated
		}
		return container.LastState.Terminated
	}
	return nil
}

// took is true for a pod that has taken what the last one took: it told so at about the same time, or has started with it.
// One that started shortly before may have either, and would have told in a while of the new one.
func took(pod *object.Pod, last time.Time, now metav1.Time) bool {
	if ended := reloaderEnded(pod); ended != nil && last.Sub(ended.FinishedAt.Time) <= spreadOfReloads {
		return true
	}
	for _, container := range pod.Status.ContainerStatuses {
		if container.Name == reloaderName && !container.State.Running.StartedAt.IsZero() {
			before := last.Sub(container.State.Running.StartedAt)
			return before <= 0 || before <= spreadOfReloads && now.Sub(last) >= spreadOfReloads
		}
	}
	return false
}

// secretNames names the Secrets that memcached has to be told to read again.
func secretNames(spec *Spec) string {
	switch {
	case spec.TLS != nil && spec.authMode() == AuthASCII && spec.TLS.SecretName != spec.Auth.SecretName:
		return fmt.Sprintf("Secret %s or %s", spec.TLS.SecretName, spec.Auth.SecretName)
	case spec.TLS != nil:
		return "Secret " + spec.TLS.SecretName
	}
	return "Secret " + spec.Auth.SecretName
}
