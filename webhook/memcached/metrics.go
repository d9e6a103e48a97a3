package memcached

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
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
func metricsReady(spec *Spec, pods []*object.Pod, listed bool) *metav1.Condition {
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
		condition := object.NewCondition(MetricsReady, status, reason, message)
		return &condition
	}
	switch {
	case !spec.exports():
		return says(metav1.ConditionFalse, ReasonUnsupportedWithASCII, "the exporter cannot log in where spec.auth.mode is ASCII, so there is none; with SASL there are metrics")
	case len(pods) == 0:
		return says(metav1.ConditionFalse, ReasonExportersNotReady, "there is no pod, and so no exporter")
	case ready < len(pods):
		return says(metav1.ConditionFalse, ReasonExportersNotReady, fmt.Sprintf("the exporters of %d of %d pods run", ready, len(pods)))
	case spec.Metrics.ServiceMonitor != nil && !listed:
		return says(metav1.ConditionFalse, ReasonServiceMonitorNotListed, "there are exporters but no ServiceMonitor, for the CompositeController does not list that kind: add manifests/components/service-monitors to the installation, or leave out spec.metrics.serviceMonitor")
	}
	return says(metav1.ConditionTrue, ReasonExporting, fmt.Sprintf("the exporters of all %d pods run", len(pods)))
}
