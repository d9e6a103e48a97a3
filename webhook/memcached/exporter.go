package memcached

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// DefaultExporterImage runs where spec.metrics.image is empty.
const DefaultExporterImage = "prom/memcached-exporter:v0.16.0"

const (
	exporterName = "exporter"

	metricsPortName = "metrics"
	metricsPort     = 9150
)

// exporter reads memcached's statistics within the pod, so that it needs no certificate and no password.
//
// It has no probes: a cache does its work without it, and a pod is not ready while one of its containers is not. That an
// exporter answers nothing is for Prometheus to see.
func exporter(spec *v1alpha1.MemcachedSpec) corev1.Container {
	reads := port
	if listensOnLoopback(spec) {
		reads = loopbackPort
	}
	return corev1.Container{
		Name:            exporterName,
		Image:           cmp.Or(spec.Metrics.Image, DefaultExporterImage),
		ImagePullPolicy: spec.ImagePullPolicy,
		Args: []string{
			fmt.Sprintf("--memcached.address=127.0.0.1:%d", reads),
			fmt.Sprintf("--web.listen-address=:%d", metricsPort),
		},
		Ports:           containerPorts(metricsPorts(spec)),
		Resources:       exporterResources(&spec.Metrics),
		SecurityContext: resources.RestrictedContainer(),
	}
}

// exporterResources are those that were given, or some that the exporter was seen to keep within.
func exporterResources(metrics *v1alpha1.Metrics) corev1.ResourceRequirements {
	if metrics.Resources.Limits != nil || metrics.Resources.Requests != nil || metrics.Resources.Claims != nil {
		return roundedResources(metrics.Resources)
	}
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("10m"),
			corev1.ResourceMemory: resource.MustParse("32Mi"),
		},
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")},
	}
}
