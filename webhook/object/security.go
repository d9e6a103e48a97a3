package object

import corev1 "k8s.io/api/core/v1"

// RestrictedPod returns the security context of a pod that runs as that user and the group of the same number. With
// [RestrictedContainer] for each container, the restricted Pod Security Standard admits it.
//
// https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
func RestrictedPod(userID int64) *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsNonRoot:   new(true),
		RunAsUser:      new(userID),
		RunAsGroup:     new(userID),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// RestrictedContainer returns the security context of a container that needs no privilege and writes nothing but
// mounted volumes.
func RestrictedContainer() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
