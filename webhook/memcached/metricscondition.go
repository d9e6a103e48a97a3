package memcached

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// MetricsReady says that the metrics that were asked for are there. A cache without metrics does not have it.
const MetricsReady = "MetricsReady"

// The reasons of MetricsReady.
const (
	ReasonExporting               = "Exporting"
	ReasonExportersNotReady       = "ExportersNotReady"
	ReasonUnsupportedWithASCII    = "UnsupportedWithASCII"
	ReasonServiceMonitorNotListed = "ServiceMonitorNotListed"
)

// metricsReady is nil where no metrics are asked for. listed is true where the CompositeController lists ServiceMonitors.
func metricsReady(spec *v1alpha1.MemcachedSpec, pods []*observed.Pod, listed bool) *metav1.Condition {
	if !spec.Metrics.Enabled {
		return nil
	}
	ready := 0
	for _, pod := range pods {
		if pod.ContainerReady(exporterName) {
			ready++
		}
	}
	says := func(status metav1.ConditionStatus, reason, message string) *metav1.Condition {
		condition := conditions.NewCondition(MetricsReady, status, reason, message)
		return &condition
	}
	switch {
	case !exports(spec):
		return says(metav1.ConditionFalse, ReasonUnsupportedWithASCII, "The exporter cannot log in with spec.auth.mode ASCII, so there is none. Use SASL to have metrics.")
	case len(pods) == 0:
		return says(metav1.ConditionFalse, ReasonExportersNotReady, "There is no pod.")
	case ready < len(pods):
		return says(metav1.ConditionFalse, ReasonExportersNotReady, fmt.Sprintf("The exporters of %d of %d pods are ready.", ready, len(pods)))
	case spec.Metrics.ServiceMonitor != nil && !listed:
		return says(metav1.ConditionFalse, ReasonServiceMonitorNotListed, "The CompositeController does not list ServiceMonitors, so there is none. Add manifests/components/service-monitors to the installation, or remove spec.metrics.serviceMonitor.")
	}
	return says(metav1.ConditionTrue, ReasonExporting, fmt.Sprintf("The exporters of %d of %d pods are ready.", ready, len(pods)))
}
