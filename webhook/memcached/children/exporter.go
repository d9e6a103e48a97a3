package children

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

const (
	// ExporterName is the name of the exporter container, of servers and of proxies.
	ExporterName = "exporter"

	metricsPortName = "metrics"
	// MetricsPort is the port of the exporter.
	MetricsPort = 9150
)

// exporterContainer returns the container that exports the statistics of memcached. It connects within the pod, so it needs
// no certificate and no password.
//
// It has no probes. A failed probe would make the pod unready, but memcached serves without the exporter. Prometheus detects
// an exporter that does not respond.
func exporterContainer(spec *v1alpha1.MemcachedSpec, image string, cpu HelperCPU) corev1.Container {
	port := Port
	if listensOnLoopback(spec) {
		port = loopbackPort
	}
	return corev1.Container{
		Name:            ExporterName,
		Image:           cmp.Or(spec.Metrics.Image, image),
		ImagePullPolicy: spec.ImagePullPolicy,
		Args: []string{
			fmt.Sprintf("--memcached.address=127.0.0.1:%d", port),
			fmt.Sprintf("--web.listen-address=:%d", MetricsPort),
		},
		Ports:           ContainerPorts(MetricsPorts(spec)),
		Resources:       ResourcesOr(spec.Metrics.Resources, HelperResources(spec, 10, cpu)),
		SecurityContext: resources.RestrictedContainer(),
	}
}
