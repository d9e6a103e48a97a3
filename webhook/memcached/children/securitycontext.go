package children

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// podSecurityContext returns the restricted security context of a pod, with the fields of spec, and with default sysctls that spec does not
// set. An empty list of sysctls in spec means none.
func podSecurityContext(spec *v1alpha1.MemcachedSpec, sysctls []corev1.Sysctl) *corev1.PodSecurityContext {
	restricted, given := resources.RestrictedPod(), spec.PodSecurityContext
	if spec.UserIDs != v1alpha1.UserIDsAssigned {
		restricted.RunAsUser, restricted.RunAsGroup, restricted.FSGroup = new(int64(userID)), new(int64(userID)), new(int64(userID))
	}
	merged := mergeFields(restricted, given)
	if given != nil && given.Sysctls != nil && len(given.Sysctls) == 0 {
		return merged
	}
	for _, each := range sysctls {
		if !slices.ContainsFunc(merged.Sysctls, func(own corev1.Sysctl) bool { return own.Name == each.Name }) {
			merged.Sysctls = append(merged.Sysctls, each)
		}
	}
	return merged
}

// ContainerSecurityContext returns the restricted security context of a container, with the fields of spec.
func ContainerSecurityContext(spec *corev1.SecurityContext) *corev1.SecurityContext {
	restricted := resources.RestrictedContainer()
	if spec != nil && escalates(spec) {
		restricted.AllowPrivilegeEscalation = nil
	}
	return mergeFields(restricted, spec)
}

// escalates reports whether the API server refuses a container that also forbids privilege escalation.
func escalates(given *corev1.SecurityContext) bool {
	return given.Privileged != nil && *given.Privileged ||
		given.Capabilities != nil && slices.Contains(given.Capabilities.Add, "CAP_SYS_ADMIN")
}

// reloaderSecurityContext returns the restricted security context with the user and group of memcached, because the kernel
// lets only that user send memcached a signal and read its Secrets. The other fields of spec.securityContext apply to the
// memcached container only.
func reloaderSecurityContext(spec *corev1.SecurityContext) *corev1.SecurityContext {
	restricted := resources.RestrictedContainer()
	if spec == nil {
		return restricted
	}
	restricted.RunAsUser = spec.RunAsUser
	restricted.RunAsGroup = spec.RunAsGroup
	restricted.RunAsNonRoot = spec.RunAsNonRoot
	return restricted
}

// mergeFields sets in defaults the fields that are set in overrides, by decoding overrides as JSON into defaults. T must be
// a type that JSON can encode, such as the types of Kubernetes.
func mergeFields[T any](defaults, overrides *T) *T {
	if overrides == nil {
		return defaults
	}
	document, err := json.Marshal(overrides)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(document, defaults); err != nil {
		panic(err)
	}
	return defaults
}
