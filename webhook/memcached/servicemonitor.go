package memcached

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// serviceMonitorKind is of the Prometheus operator. A cluster may not have it, and this module does without its types:
// test/monitoring holds what is written here against them.
var serviceMonitorKind = schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitor"}

// serviceMonitor lets Prometheus find the exporters behind the Service; nil where that was not asked for.
func serviceMonitor(memcached *v1alpha1.Memcached) *unstructured.Unstructured {
	given := memcached.Spec.Metrics.ServiceMonitor
	if given == nil || !exports(&memcached.Spec) {
		return nil
	}
	endpoint := map[string]any{"port": metricsPortName}
	if given.Interval != "" {
		endpoint["interval"] = string(given.Interval)
	}
	if given.ScrapeTimeout != "" {
		endpoint["scrapeTimeout"] = string(given.ScrapeTimeout)
	}
	selected := map[string]any{}
	for key, value := range selectorLabels(memcached) {
		selected[key] = value
	}
	monitor := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{
			"selector":  map[string]any{"matchLabels": selected},
			"endpoints": []any{endpoint},
			// Alerts and dashboard of manifests/components/monitoring group by the parent's name.
			"podTargetLabels": []any{"memcached_cr"},
		},
	}}
	monitor.SetGroupVersionKind(serviceMonitorKind)
	monitor.SetName(memcached.Name)
	monitor.SetNamespace(memcached.Namespace)
	monitor.SetLabels(withLabels(labels(memcached), given.Labels))
	return monitor
}
