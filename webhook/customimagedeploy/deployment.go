package customimagedeploy

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
	"github.com/example/memcached-operator/webhook/resources"
)

const (
	containerName = "server"
	// portName is the name of the port in the container and in the Service. Children refer to the port by this name.
	portName = "http"
	// nameLabel is the label with the name of the CustomImageDeploy. Pods of other owners may have it too.
	nameLabel = "app"
)

func deployment(deploy *v1.CustomImageDeploy) *appsv1.Deployment {
	return resources.Deployment(deploy, size(deploy), selectorLabels(deploy), labels(deploy), podSpec(deploy))
}

// size returns the number of pods, with the same default as the CRD.
func size(deploy *v1.CustomImageDeploy) *int32 {
	return cmp.Or(deploy.Spec.Size, new(int32(1)))
}

// podSpec restricts the pods only as far as any image allows. Many images start as root, and change owners, users or files
// before they serve. They would not start with runAsNonRoot, and would not become ready with fewer capabilities or a
// read-only root file system. The baseline Pod Security Standard admits these pods. When a namespace enforces the restricted
// standard, the condition Degraded reports that the pods are rejected.
func podSpec(deploy *v1.CustomImageDeploy) corev1.PodSpec {
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

// selectorLabels returns the labels that select the pods of one CustomImageDeploy. They never change, because the selector
// of a Deployment is immutable.
func selectorLabels(deploy *v1.CustomImageDeploy) map[string]string {
	return map[string]string{nameLabel: deploy.Name, "managed_by": "custom-image-deploy"}
}

func labels(deploy *v1.CustomImageDeploy) map[string]string {
	return resources.Labels(selectorLabels(deploy), deploy.Name, deploy.Name, "server")
}
