package customimagedeploy

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/resources"
)

// portName names the port of the container and of the Service. Children refer to each other by it, not by its number.
const (
	containerName = "server"
	portName      = "http"
)

func deployment(deploy *CustomImageDeploy) *appsv1.Deployment {
	return resources.Deployment(deploy, size(deploy), selectorLabels(deploy), labels(deploy), podSpec(deploy))
}

// size is the number of pods; the default is the CRD's.
func size(deploy *CustomImageDeploy) *int32 {
	return cmp.Or(deploy.Spec.Size, new(int32(1)))
}

// podSpec takes from the pods what no image should need, and no more: they may be anything. Many images start as root and
// change owners, users or files before they serve. runAsNonRoot would keep those from starting, fewer capabilities or a
// read-only root file system from getting ready. The baseline Pod Security Standard admits these pods; where a namespace
// enforces the restricted one, the condition Degraded says that it does not.
func podSpec(deploy *CustomImageDeploy) corev1.PodSpec {
	return corev1.PodSpec{
		SecurityContext: &corev1.PodSecurityContext{
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name:            containerName,
			Image:           deploy.Spec.Image,
			Ports:           []corev1.ContainerPort{{Name: portName, ContainerPort: *deploy.Spec.Port, Protocol: corev1.ProtocolTCP}},
			ReadinessProbe:  resources.TCPProbe(portName, 5),
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false)},
		}},
	}
}
