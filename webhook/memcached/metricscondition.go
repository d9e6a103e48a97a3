package memcached

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// MetricsReady is the condition that reports whether the exporters are ready. A cache without metrics does not have it.
const MetricsReady = "MetricsReady"

// The reasons of MetricsReady.
const (
	ReasonExporting               = "Exporting"
	ReasonExportersNotReady       = "ExportersNotReady"
	ReasonUnsupportedWithASCII    = "UnsupportedWithASCII"
	ReasonServiceMonitorNotListed = "ServiceMonitorNotListed"
)

// metricsReady returns the condition MetricsReady; nil without metrics. listed reports whether the CompositeController lists
// ServiceMonitors.
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
	newCondition := func(status metav1.ConditionStatus, reason, message string) *metav1.Condition {
		condition := conditions.NewCondition(MetricsReady, status, reason, message)
		return &condition
	}
	switch {
	case !spec.HasExporter():
		return newCondition(metav1.ConditionFalse, ReasonUnsupportedWithASCII, "The exporter does not support spec.auth.mode ASCII, so no pod has one. Set spec.auth.mode to SASL for metrics.")
	case len(pods) == 0:
		return newCondition(metav1.ConditionFalse, ReasonExportersNotReady, "There is no pod.")
	case ready < len(pods):
		return newCondition(metav1.ConditionFalse, ReasonExportersNotReady, fmt.Sprintf("The exporters of %d of %d pods are ready.", ready, len(pods)))
	case spec.Metrics.ServiceMonitor != nil && !listed:
		return newCondition(metav1.ConditionFalse, ReasonServiceMonitorNotListed, "The ServiceMonitor is not created, because the CompositeController does not list ServiceMonitors. Add manifests/components/service-monitors to the installation, or remove spec.metrics.serviceMonitor.")
	}
	return newCondition(metav1.ConditionTrue, ReasonExporting, fmt.Sprintf("The exporters of %d of %d pods are ready.", ready, len(pods)))
}
