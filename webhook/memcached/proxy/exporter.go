package proxy

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// exporter returns the container that exports the reads of a proxy's clients, with the image of this program: prom/memcached-exporter
// does not read the counters of a proxy.
func exporter(spec *v1alpha1.MemcachedSpec, defaults ReleaseDefaults) corev1.Container {
	return corev1.Container{
		Name:            children.ExporterName,
		Image:           defaults.ExporterImage,
		ImagePullPolicy: spec.ImagePullPolicy,
		Args:            []string{"export", fmt.Sprintf("--address=:%d", children.MetricsPort), fmt.Sprintf("--proxy=127.0.0.1:%d", plainPort(spec).Port)},
		Ports:           children.ContainerPorts(children.MetricsPorts(spec)),
		Resources:       children.ResourcesOr(spec.Metrics.Resources, children.HelperResources(spec, 10, defaults.HelperCPU)),
		SecurityContext: resources.RestrictedContainer(),
	}
}
