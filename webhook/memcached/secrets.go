package memcached

import (
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// ReasonSecretNotMounted is the reason of Degraded where pods wait for their volumes for so long that a Secret must be
// missing, or lack a key. The hook reads no Secret: it sees the pods alone.
const ReasonSecretNotMounted = "SecretNotMounted"

// mountsWithin is how long a pod may take until its volumes are there, which is a second or two otherwise.
const mountsWithin = time.Minute

// notMounted is the problem of the first pod that has waited for its volumes for too long; wait is the time until the next
// one has, and 0 where none waits.
func notMounted(spec *Spec, pods []*object.Pod, now metav1.Time) (problem *object.Problem, wait time.Duration) {
	if spec.TLS == nil && spec.Auth == nil {
		return nil, 0
	}
	for _, pod := range pods {
		if !waitsForVolumes(pod) {
			continue
		}
		left := pod.Status.StartTime.Add(mountsWithin).Sub(now.Time)
		switch {
		case left > 0 && (wait == 0 || left < wait):
			wait = left
		case left <= 0 && problem == nil:
			problem = &object.Problem{Reason: ReasonSecretNotMounted, Message: fmt.Sprintf(
				"pod %s still waits for its volumes a minute after its start: check that %s; kubectl describe pod says which is missing", pod.Name, strings.Join(secretsNeeded(spec), ", and that "))}
		}
	}
	// Beyond a clock that runs ahead of the node's, there is nothing to wait for.
	return problem, min(wait, mountsWithin)
}

// waitsForVolumes is true for a pod that a node has taken and whose containers have nowhere to start yet. While an image
// is pulled they have.
func waitsForVolumes(pod *object.Pod) bool {
	if pod.Status.StartTime.IsZero() {
		return false
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReadyToStartContainers && condition.Status == corev1.ConditionFalse {
			return true
		}
	}
	return false
}

// secretsNeeded says what has to be there for a pod to start.
func secretsNeeded(spec *Spec) []string {
	var needed []string
	if spec.TLS != nil {
		keys := tlsKeys(spec)
		needed = append(needed, fmt.Sprintf("Secret %s is there and has the keys %s and %s", spec.TLS.SecretName, strings.Join(keys[:len(keys)-1], ", "), keys[len(keys)-1]))
	}
	if spec.Auth != nil {
		needed = append(needed, fmt.Sprintf("Secret %s is there and has the key %s", spec.Auth.SecretName, passwordsKey))
	}
	return needed
}

// secretExitCodes explains how memcached ends with what a Secret holds: with 64 for a certificate, and with 1 for
// passwords, as its code and Debian's 1.6.18 say.
func secretExitCodes(spec *Spec) map[int32]string {
	if spec.TLS == nil && spec.Auth == nil {
		return exitCodes
	}
	codes := maps.Clone(exitCodes)
	if spec.TLS != nil {
		codes[64] = fmt.Sprintf("check that Secret %s holds in %s a certificate, in %s its key", spec.TLS.SecretName, certificateKey, privateKeyKey)
		if spec.clientAuth() != ClientAuthNone {
			codes[64] += fmt.Sprintf(" and in %s the authorities of clients", authorityKey)
		}
		codes[64] += ", in PEM; or look at spec.cache"
	}
	if spec.authMode() == AuthASCII {
		codes[1] = fmt.Sprintf("check that Secret %s holds in %s lines of user:password; or look at spec.cache.extraArgs", spec.Auth.SecretName, passwordsKey)
	}
	return codes
}

// terminationMessage lets the kubelet keep the last of the log where memcached may end for what a Secret holds, which its
// log names and its exit code does not.
func terminationMessage(spec *Spec) corev1.TerminationMessagePolicy {
	if spec.TLS == nil && spec.Auth == nil {
		return ""
	}
	return corev1.TerminationMessageFallbackToLogsOnError
}
