package memcached

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/resources"
)

func podSecurityContext(given *corev1.PodSecurityContext) *corev1.PodSecurityContext {
	restricted := resources.RestrictedPod(userID)
	restricted.FSGroup = new(int64(userID))
	return overlay(restricted, given)
}

func containerSecurityContext(given *corev1.SecurityContext) *corev1.SecurityContext {
	restricted := resources.RestrictedContainer()
	if given != nil && corevalidation.Escalates(given) {
		restricted.AllowPrivilegeEscalation = nil
	}
	return overlay(restricted, given)
}

// reloaderSecurityContext returns the restricted one with the user and group of memcached: the kernel lets only that user
// send memcached a signal and read its Secrets. The rest of spec.securityContext is for memcached's container alone.
func reloaderSecurityContext(given *corev1.SecurityContext) *corev1.SecurityContext {
	restricted := resources.RestrictedContainer()
	if given == nil {
		return restricted
	}
	restricted.RunAsUser = given.RunAsUser
	restricted.RunAsGroup = given.RunAsGroup
	restricted.RunAsNonRoot = given.RunAsNonRoot
	return restricted
}

// overlay sets on a value the fields that are set in another of its type, as a JSON document laid over it. Neither may
// hold what cannot be encoded; Kubernetes' own types do not.
func overlay[T any](on, given *T) *T {
	if given == nil {
		return on
	}
	document, err := json.Marshal(given)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(document, on); err != nil {
		panic(err)
	}
	return on
}
