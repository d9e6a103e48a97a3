package memcached

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// SecretsCurrent reports whether memcached uses the current content of its Secrets. A cache without Secrets, or whose
// Secrets memcached reads at each login, does not have the condition.
const SecretsCurrent = "SecretsCurrent"

// The reasons of SecretsCurrent. ReasonSecretNotMounted and ReasonSecretNotReloaded are reasons of Degraded too.
const (
	ReasonLoaded            = "Loaded"
	ReasonNoPodRunning      = "NoPodRunning"
	ReasonReadAtStart       = "ReadAtStart"
	ReasonSecretNotMounted  = "SecretNotMounted"
	ReasonSecretNotReloaded = "SecretNotReloaded"
)

// mountPeriod is how long the kubelet may take to mount the volumes of a pod. It needs a second or two.
const mountPeriod = time.Minute

// reportPeriod is how long a reloader that was killed may take to report a failure again: half a minute of patience, and
// time to start. Until then what it reported before holds.
const reportPeriod = 2 * time.Minute

// secrets is what the pods report of the Secrets that they use. The hook reads no Secret.
type secrets struct {
	mounted, reloaded conditions.Finding
	condition         *metav1.Condition
}

func secretsOf(spec *v1alpha1.MemcachedSpec, before []metav1.Condition, reloaderImage string, o *conditions.Observation) secrets {
	if spec.TLS == nil && spec.Auth == nil {
		return secrets{}
	}
	found := secrets{mounted: notMounted(spec, o.Pods, o.Now)}
	if !reloads(spec) {
		return found
	}
	if reloaderImage != "" && o.Rollout.AllUpdated() {
		found.reloaded = notReloaded(spec, meta.FindStatusCondition(before, SecretsCurrent), o.Pods, o.Now)
	}
	found.condition = secretsCurrent(spec, reloaderImage, conditions.First(found.mounted, found.reloaded).Problem, o.Pods)
	return found
}

func secretsCurrent(spec *v1alpha1.MemcachedSpec, reloaderImage string, problem *conditions.Problem, pods []*observed.Pod) *metav1.Condition {
	status, reason, message := metav1.ConditionTrue, ReasonLoaded, fmt.Sprintf("No pod reports a change of %s that memcached did not accept.", secretNames(spec))
	switch {
	case reloaderImage == "":
		status, reason = metav1.ConditionUnknown, ReasonReadAtStart
		message = fmt.Sprintf("memcached reads %s only when it starts, because the hook runs without -reloader-image.", secretNames(spec))
	case problem != nil:
		status, reason, message = metav1.ConditionFalse, problem.Reason, problem.Message
	case !slices.ContainsFunc(pods, runsWithReloader):
		status, reason = metav1.ConditionUnknown, ReasonNoPodRunning
		message = fmt.Sprintf("No pod runs memcached and the reloader, which reports whether memcached accepted %s.", secretNames(spec))
	}
	condition := conditions.NewCondition(SecretsCurrent, status, reason, message)
	return &condition
}

func runsWithReloader(pod *observed.Pod) bool {
	return pod.ContainerRunning(containerName) && pod.ContainerRunning(reloaderName)
}

// notMounted returns the problem of the first pod that has waited for its volumes for longer than mountPeriod: a Secret or
// one of its keys must be missing.
func notMounted(spec *v1alpha1.MemcachedSpec, pods []*observed.Pod, now metav1.Time) conditions.Finding {
	var first conditions.Finding
	for _, pod := range pods {
		if !waitsForVolumes(pod) {
			continue
		}
		if left := pod.Status.StartTime.Add(mountPeriod).Sub(now.Time); left > 0 {
			first.Wait = conditions.Soonest(first.Wait, min(left, mountPeriod)) // the clock of the node may be ahead
			continue
		}
		first = conditions.First(first, conditions.Finding{Problem: &conditions.Problem{Reason: ReasonSecretNotMounted, Message: fmt.Sprintf(
			"pod %s still waits for its volumes a minute after its start. Check that %s.", pod.Name, strings.Join(secretsNeeded(spec), ", and that "))}})
	}
	return first
}

// waitsForVolumes reports whether a pod is on a node and its containers cannot start yet. While an image is pulled they can.
func waitsForVolumes(pod *observed.Pod) bool {
	return !pod.Status.StartTime.IsZero() && slices.ContainsFunc(pod.Status.Conditions, func(condition observed.PodCondition) bool {
		return condition.Type == corev1.PodReadyToStartContainers && condition.Status == corev1.ConditionFalse
	})
}

// notReloaded returns the problem of the first pod whose memcached does not accept a Secret that has changed. It keeps
// running with the earlier content. Callers make sure that no pod has an earlier pod template, which may name other Secrets.
func notReloaded(spec *v1alpha1.MemcachedSpec, before *metav1.Condition, pods []*observed.Pod, now metav1.Time) conditions.Finding {
	for _, pod := range pods {
		end := reloaderEnd(pod)
		switch {
		case end == nil:
		case end.ExitCode == 1 && end.Message != "":
			return conditions.Finding{Problem: &conditions.Problem{Reason: ReasonSecretNotReloaded, Message: fmt.Sprintf(
				"pod %s: memcached does not accept %s: %s", pod.Name, secretNames(spec), end.Message)}}
		case end.ExitCode != 0 && before != nil && before.Reason == ReasonSecretNotReloaded:
			if left := end.FinishedAt.Add(reportPeriod).Sub(now.Time); left > 0 {
				return conditions.Finding{Problem: &conditions.Problem{Reason: before.Reason, Message: before.Message}, Wait: min(left, reportPeriod)}
			}
		}
	}
	return conditions.Finding{}
}

// reloaderEnd returns how the reloader of a pod exited last; nil if it never did. It exits with 1 to report a Secret that
// memcached does not accept, and with 0 once memcached accepts it again.
func reloaderEnd(pod *observed.Pod) *observed.ContainerTerminated {
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

// secretNames names the Secrets that memcached does not read again by itself.
func secretNames(spec *v1alpha1.MemcachedSpec) string {
	switch {
	case spec.TLS != nil && authMode(spec) == v1alpha1.AuthASCII && spec.TLS.SecretName != spec.Auth.SecretName:
		return fmt.Sprintf("Secret %s or %s", spec.TLS.SecretName, spec.Auth.SecretName)
	case spec.TLS != nil:
		return "Secret " + spec.TLS.SecretName
	}
	return "Secret " + spec.Auth.SecretName
}

// secretsNeeded returns what a pod needs to start.
func secretsNeeded(spec *v1alpha1.MemcachedSpec) []string {
	var needed []string
	if spec.TLS != nil {
		keys := tlsKeys(spec)
		needed = append(needed, fmt.Sprintf("Secret %s exists and has the keys %s and %s", spec.TLS.SecretName, strings.Join(keys[:len(keys)-1], ", "), keys[len(keys)-1]))
	}
	if spec.Auth != nil {
		needed = append(needed, fmt.Sprintf("Secret %s exists and has the key %s", spec.Auth.SecretName, passwordsKey))
	}
	return needed
}
