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

// SecretsCurrent is the condition that reports whether memcached uses the current content of its Secrets. A cache does not
// have the condition if it has no Secrets, or if memcached reads them at each login.
const SecretsCurrent = "SecretsCurrent"

// The reasons of SecretsCurrent. ReasonSecretNotMounted and ReasonSecretNotReloaded are also reasons of Degraded.
const (
	ReasonLoaded            = "Loaded"
	ReasonNoPodRunning      = "NoPodRunning"
	ReasonReadAtStart       = "ReadAtStart"
	ReasonSecretNotMounted  = "SecretNotMounted"
	ReasonSecretNotReloaded = "SecretNotReloaded"
)

// ReasonFlashNotMounted is the reason of Degraded if a pod waits for the volume of spec.flash, and has no Secrets.
const ReasonFlashNotMounted = "FlashNotMounted"

// mountPeriod is how long the kubelet may take to mount the volumes of a pod. It takes a second or two for Secrets, and longer if
// a volume must be attached to the node.
const mountPeriod = time.Minute

// reportPeriod is how long a killed reloader may take to report a failure again: it waits for half a minute and needs time
// to start. Until then its earlier report is valid.
const reportPeriod = 2 * time.Minute

// secretsStatus is what the pods report about their Secrets, and about volumes that are not mounted. The hook reads no Secrets.
type secretsStatus struct {
	mounted, reloaded conditions.Finding
	condition         *metav1.Condition
}

func secretsStatusOf(spec *v1alpha1.MemcachedSpec, before []metav1.Condition, image string, o *conditions.Observation) secretsStatus {
	if spec.TLS == nil && spec.Auth == nil && spec.Flash == nil {
		return secretsStatus{}
	}
	s := secretsStatus{mounted: notMounted(spec, o.Pods, o.Now)}
	if !spec.NeedsReloader() {
		return s
	}
	if image != "" && o.Rollout.AllUpdated() {
		s.reloaded = notReloaded(spec, meta.FindStatusCondition(before, SecretsCurrent), o.Pods, o.Now)
	}
	s.condition = secretsCurrent(spec, image, conditions.First(s.mounted, s.reloaded).Problem, o.Pods)
	return s
}

func secretsCurrent(spec *v1alpha1.MemcachedSpec, image string, problem *conditions.Problem, pods []*observed.Pod) *metav1.Condition {
	status, reason, message := metav1.ConditionTrue, ReasonLoaded, fmt.Sprintf("No pod reports that memcached did not accept a change of %s.", secretNames(spec))
	switch {
	case image == "":
		status, reason = metav1.ConditionUnknown, ReasonReadAtStart
		message = fmt.Sprintf("memcached reads %s only at its start, because the hook runs without -reloader-image.", secretNames(spec))
	case problem != nil:
		status, reason, message = metav1.ConditionFalse, problem.Reason, problem.Message
	case !slices.ContainsFunc(pods, runsWithReloader):
		status, reason = metav1.ConditionUnknown, ReasonNoPodRunning
		message = fmt.Sprintf("No pod runs memcached and the reloader, which reports whether memcached accepts %s.", secretNames(spec))
	}
	condition := conditions.NewCondition(SecretsCurrent, status, reason, message)
	return &condition
}

func runsWithReloader(pod *observed.Pod) bool {
	return pod.ContainerRunning(containerName) && pod.ContainerRunning(reloaderName)
}

// notMounted returns the problem of the first pod that has waited for its volumes for longer than mountPeriod. Then a Secret
// or one of its keys is missing, or the volume of the flash tier cannot be attached or mounted.
func notMounted(spec *v1alpha1.MemcachedSpec, pods []*observed.Pod, now metav1.Time) conditions.Finding {
	var first conditions.Finding
	reason := ReasonSecretNotMounted
	if spec.TLS == nil && spec.Auth == nil {
		reason = ReasonFlashNotMounted
	}
	for _, pod := range pods {
		if !waitingForVolumes(pod) {
			continue
		}
		if left := pod.Status.StartTime.Add(mountPeriod).Sub(now.Time); left > 0 {
			first.Wait = conditions.Soonest(first.Wait, min(left, mountPeriod)) // the clock of the node may be ahead
			continue
		}
		first = conditions.First(first, conditions.Finding{Problem: &conditions.Problem{Reason: reason, Message: fmt.Sprintf(
			"Pod %s still waits for its volumes a minute after its start. Check that %s.", pod.Name, strings.Join(mountRequirements(spec, pod.Name), ", and that "))}})
	}
	return first
}

// waitingForVolumes reports whether a pod is on a node but its containers cannot start yet. A pod that pulls images already
// has its volumes.
func waitingForVolumes(pod *observed.Pod) bool {
	return !pod.Status.StartTime.IsZero() && slices.ContainsFunc(pod.Status.Conditions, func(condition observed.PodCondition) bool {
		return condition.Type == corev1.PodReadyToStartContainers && condition.Status == corev1.ConditionFalse
	})
}

// notReloaded returns the problem of the first pod whose memcached does not accept a changed Secret and keeps using the
// earlier content. All pods must have the current pod template, because an earlier one may use other Secrets.
func notReloaded(spec *v1alpha1.MemcachedSpec, before *metav1.Condition, pods []*observed.Pod, now metav1.Time) conditions.Finding {
	for _, pod := range pods {
		end := reloaderEnd(pod)
		switch {
		case end == nil:
		case end.ExitCode == 1 && end.Message != "":
			return conditions.Finding{Problem: &conditions.Problem{Reason: ReasonSecretNotReloaded, Message: fmt.Sprintf(
				"Pod %s: memcached does not accept %s: %s", pod.Name, secretNames(spec), end.Message)}}
		case end.ExitCode != 0 && before != nil && before.Reason == ReasonSecretNotReloaded:
			if left := end.FinishedAt.Add(reportPeriod).Sub(now.Time); left > 0 {
				return conditions.Finding{Problem: &conditions.Problem{Reason: before.Reason, Message: before.Message}, Wait: min(left, reportPeriod)}
			}
		}
	}
	return conditions.Finding{}
}

// reloaderEnd returns the last termination of the reloader of a pod; nil if it has never terminated. The reloader exits with
// 1 to report that memcached does not accept a Secret, and with 0 after memcached accepts it again.
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

// secretNames returns the names of the Secrets that memcached does not reload by itself.
func secretNames(spec *v1alpha1.MemcachedSpec) string {
	switch {
	case spec.TLS != nil && spec.AuthMode() == v1alpha1.AuthASCII && spec.TLS.SecretName != spec.Auth.SecretName:
		return fmt.Sprintf("Secret %s or %s", spec.TLS.SecretName, spec.Auth.SecretName)
	case spec.TLS != nil:
		return "Secret " + spec.TLS.SecretName
	}
	return "Secret " + spec.Auth.SecretName
}

// mountRequirements returns what the volumes of a pod require.
func mountRequirements(spec *v1alpha1.MemcachedSpec, pod string) []string {
	var requirements []string
	if spec.TLS != nil {
		keys := tlsKeys(spec)
		requirements = append(requirements, fmt.Sprintf("Secret %s exists and has the keys %s and %s", spec.TLS.SecretName, strings.Join(keys[:len(keys)-1], ", "), keys[len(keys)-1]))
	}
	if spec.Auth != nil {
		requirements = append(requirements, fmt.Sprintf("Secret %s exists and has the key %s", spec.Auth.SecretName, passwordsKey))
	}
	if spec.Flash != nil {
		requirements = append(requirements, fmt.Sprintf("the node can attach and mount the volume of claim %s-%s (kubectl describe pod %s)", pod, flashVolumeName, pod))
	}
	return requirements
}
