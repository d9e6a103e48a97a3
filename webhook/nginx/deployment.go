package nginx

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/nginx/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// DefaultImage is the image when spec.image is empty: the official unprivileged image of the stable branch.
//
// https://github.com/nginx/docker-nginx-unprivileged
const DefaultImage = "nginxinc/nginx-unprivileged:1.30.4-alpine"

const (
	containerName = "nginx"
	// nameLabel is the label with the name of the Nginx.
	nameLabel = "nginx_cr"
)

func deployment(nginx *v1alpha1.Nginx) *appsv1.Deployment {
	labels := resources.Labels(selectorLabels(nginx), "nginx", nginx.Name, "proxy")
	return resources.Deployment(nginx, nginx.Spec.Count, selectorLabels(nginx), labels, corev1.PodSpec{
		SecurityContext: resources.RestrictedPod(), // the image has the number of its user, and runs with any other one, as on OpenShift
		Containers: []corev1.Container{{
			Name:            containerName,
			Image:           cmp.Or(nginx.Spec.Image, DefaultImage),
			Ports:           []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
			ReadinessProbe:  resources.TCPProbe("http", 5),
			SecurityContext: resources.RestrictedContainer(),
			// nginx writes its process ID and the bodies of requests to /tmp. The rest of the file system is read-only.
			VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
		}},
		Volumes: []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
	})
}

// selectorLabels returns the labels that select the pods of one Nginx. They never change, because the selector of a
// Deployment is immutable.
func selectorLabels(nginx *v1alpha1.Nginx) map[string]string {
	return map[string]string{"app": "nginx", nameLabel: nginx.Name}
}
