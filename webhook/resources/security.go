package resources

import corev1 "k8s.io/api/core/v1"

// RestrictedPod returns the security context of a pod that does not run as root. With [RestrictedContainer] for each container, the
// restricted Pod Security Standard admits the pod. The kubelet needs the number of a user: that of the image, or one in the pod.
//
// https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
func RestrictedPod() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsNonRoot:   new(true),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// RestrictedContainer returns the security context of a container that needs no privileges and writes only to mounted
// volumes.
func RestrictedContainer() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// HardenedPod returns the pod without two defaults that no image needs: a token for the API server, and environment
// variables for each Service of the namespace.
func HardenedPod(pod corev1.PodSpec) corev1.PodSpec {
	pod.AutomountServiceAccountToken = new(false)
	pod.EnableServiceLinks = new(false)
	return pod
}
