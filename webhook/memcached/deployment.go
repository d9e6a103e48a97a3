package memcached

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

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
	selector := selectorLabels(memcached)
	return &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        memcached.Name,
			Namespace:   memcached.Namespace,
			Labels:      labels(memcached),
			Annotations: object.ParentGeneration(memcached),
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: memcached.Spec.Size,
			Selector: &metav1.LabelSelector{MatchLabels: selector},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels(memcached)},
				Spec:       podSpec(memcached),
			},
		},
	}
}

func podSpec(memcached *Memcached) corev1.PodSpec {
	return corev1.PodSpec{
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   new(true),
			RunAsUser:      new(int64(userID)),
			RunAsGroup:     new(int64(userID)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{container(memcached)},
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
		ReadinessProbe: &corev1.Probe{
			ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString(portName)}},
			PeriodSeconds: 5,
		},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false),
			ReadOnlyRootFilesystem:   new(true),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}
