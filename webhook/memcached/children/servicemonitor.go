package children

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// serviceMonitorKind is a kind of the Prometheus operator, which a cluster may not have. This module does not import its
// types. test/monitoring compares the object below with them.
var serviceMonitorKind = schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitor"}

// serviceMonitor returns the ServiceMonitor by which Prometheus finds the exporters; nil if spec has none or pods have no
// exporter.
func serviceMonitor(memcached *v1alpha1.Memcached) *unstructured.Unstructured {
	spec := memcached.Spec.Metrics.ServiceMonitor
	if spec == nil || !memcached.Spec.HasExporter() {
		return nil
	}
	endpoint := map[string]any{"port": metricsPortName}
	if spec.Interval != "" {
		endpoint["interval"] = string(spec.Interval)
	}
	if spec.ScrapeTimeout != "" {
		endpoint["scrapeTimeout"] = string(spec.ScrapeTimeout)
	}
	matchLabels := map[string]any{}
	for key, value := range SelectorLabels(memcached) {
		matchLabels[key] = value
	}
	monitor := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{
			"selector":  map[string]any{"matchLabels": matchLabels},
			"endpoints": []any{endpoint},
			// The alerts and the dashboard of manifests/components/monitoring group by the name of the Memcached.
			"podTargetLabels": []any{NameLabel},
		},
	}}
	monitor.SetGroupVersionKind(serviceMonitorKind)
	monitor.SetName(memcached.Name)
	monitor.SetNamespace(memcached.Namespace)
	monitor.SetLabels(AddLabels(childLabels(memcached), spec.Labels))
	return monitor
}
