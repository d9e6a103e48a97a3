package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
A pod waits for its volumes.

This check looks at the start of the pod and at its condition PodReadyToStartContainers. After a minute, a Secret or one of its keys is
missing, or the volume of the flash tier cannot be attached or mounted.
*/

var (
	// ReasonSecretNotMounted is for a pod that waits for a volume, and uses Secrets.
	ReasonSecretNotMounted = conditions.NewReason(conditions.SeverityProblem, conditions.Documentation{ID: "SecretNotMounted", Parent: "Memcached",
		Uses:    []conditions.Use{{Type: SecretsCurrent, Status: metav1.ConditionFalse}},
		Meaning: "A pod is still waiting for its volumes a minute after it started. A Secret of `spec.tls` or `spec.auth`, or one of its keys, does not exist.",
		Remedy:  "Check the requirements in the message. The pod starts once the Secret exists."})
	// ReasonFlashNotMounted is for a pod that waits for the volume of spec.flash, and uses no Secrets.
	ReasonFlashNotMounted = conditions.NewReason(conditions.SeverityProblem, conditions.Documentation{ID: "FlashNotMounted", Parent: "Memcached",
		Meaning: "A pod is still waiting for the volume of `spec.flash` a minute after it started. Its node cannot attach or mount the volume.",
		Remedy:  "Check the Events of the pod."})
)

// mountPeriod is how long the kubelet may take to mount the volumes of a pod. It takes a second or two for Secrets, and longer if
// a volume must be attached to the node.
const mountPeriod = time.Minute

// secretNotMounted returns the problem of the pods that load Secrets. Proxies load only the certificate.
func secretNotMounted(in *Input) conditions.Finding {
	spec := &in.Memcached.Spec
	if spec.Proxy != nil {
		spec = &v1alpha1.MemcachedSpec{TLS: spec.TLS}
	}
	if spec.TLS == nil && spec.Auth == nil {
		return conditions.Finding{}
	}
	return notMounted(in.secretUsers().pods, spec, in.Now, ReasonSecretNotMounted)
}

// flashNotMounted returns the problem of servers that load no Secrets.
func flashNotMounted(in *Input) conditions.Finding {
	spec := in.Memcached.Spec.ForServers()
	if spec.TLS != nil || spec.Auth != nil || spec.Flash == nil {
		return conditions.Finding{}
	}
	return notMounted(in.Pods, spec, in.Now, ReasonFlashNotMounted)
}

// notMounted returns the problem of the first pod that has waited for its volumes for longer than mountPeriod.
func notMounted(pods []*observed.Pod, spec *v1alpha1.MemcachedSpec, now metav1.Time, reason conditions.Reason) conditions.Finding {
	var found conditions.Finding
	for _, pod := range pods {
		if !waitingForVolumes(pod) {
			continue
		}
		if left := pod.Status.StartTime.Add(mountPeriod).Sub(now.Time); left > 0 {
			found.Wait = conditions.Soonest(found.Wait, min(left, mountPeriod)) // the clock of the node may be ahead
			continue
		}
		found = conditions.Merge(found, conditions.Finding{Problem: reason.Problem(
			"Pod %s is still waiting for its volumes one minute after it started. Check that %s.", pod.Name, strings.Join(mountRequirements(spec, pod.Name), ", and that "))})
	}
	return found
}

// waitingForVolumes reports whether a pod is on a node but its containers cannot start yet. A pod that pulls images already
// has its volumes.
func waitingForVolumes(pod *observed.Pod) bool {
	return !pod.Status.StartTime.IsZero() && slices.ContainsFunc(pod.Status.Conditions, func(condition observed.PodCondition) bool {
		return condition.Type == corev1.PodReadyToStartContainers && condition.Status == corev1.ConditionFalse
	})
}

// mountRequirements returns what the volumes of a pod require.
func mountRequirements(spec *v1alpha1.MemcachedSpec, pod string) []string {
	var requirements []string
	if spec.TLS != nil {
		keys := children.TLSKeys(spec)
		requirements = append(requirements, fmt.Sprintf("Secret %s exists and contains the keys %s and %s", spec.TLS.SecretName, strings.Join(keys[:len(keys)-1], ", "), keys[len(keys)-1]))
	}
	if spec.Auth != nil {
		requirements = append(requirements, fmt.Sprintf("Secret %s exists and contains the key %s", spec.Auth.SecretName, children.PasswordsKey))
	}
	if spec.Flash != nil {
		requirements = append(requirements, fmt.Sprintf("the node can attach and mount the volume of claim %s-%s (kubectl describe pod %s)", pod, children.FlashVolumeName, pod))
	}
	return requirements
}
