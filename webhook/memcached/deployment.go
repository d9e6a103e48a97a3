package memcached

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// DefaultImage runs where spec.image is empty. 1.6.40 and later reload certificates on SIGHUP.
const DefaultImage = "memcached:1.6.45-alpine"

const (
	containerName = "memcached"
	portName      = "memcached"
	port          = 11211

	// userID is the user memcache of the official image. The image names it by name only, and the kubelet refuses
	// runAsNonRoot without a number.
	userID = 11211
)

func deployment(memcached *Memcached) *appsv1.Deployment {
	return object.Deployment(memcached, memcached.Spec.Size, selectorLabels(memcached), labels(memcached), podSpec(memcached))
}

func podSpec(memcached *Memcached) corev1.PodSpec {
	return corev1.PodSpec{
		SecurityContext: object.RestrictedPod(userID),
		Containers:      []corev1.Container{container(memcached)},
	}
}

func container(memcached *Memcached) corev1.Container {
	return corev1.Container{
		Name:  containerName,
		Image: cmp.Or(memcached.Spec.Image, DefaultImage),
		// Each flag and value is an argument of its own: memcached reads "-m=64" as a limit of 0 and exits.
		Command: []string{"memcached", "-m", "64", "-v"},
		Ports:   []corev1.ContainerPort{{Name: portName, ContainerPort: port, Protocol: corev1.ProtocolTCP}},
		// A connect, not a command: memcached accepts a connection even when it is at its limit of connections.
		ReadinessProbe:  object.AcceptsConnections(portName),
		SecurityContext: object.RestrictedContainer(),
	}
}
