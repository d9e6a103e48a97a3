package children

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// serviceMonitorKind is a kind of the Prometheus operator, which a cluster may not have. This module does not import its
// types. test/monitoring compares the object below with them.
var serviceMonitorKind = schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitor"}

// maxSamples limits what a target adds to Prometheus: a Service of any user can have the labels. The exporter of a server has about 40 for
// each of at most 63 slab classes.
const maxSamples = int64(5000)

// maxScrape limits the memory of Prometheus for a response, which can be compressed. That of an exporter with maxSamples has less than 1 MB.
const maxScrape = "10MB"

// foreignMetrics are those of the operator and of the cluster, by which alerts and dashboards find problems. An exporter has none of them.
const foreignMetrics = "(memcached_operator|metacontroller|kube|container)_.*"

// serviceMonitor returns the ServiceMonitor by which Prometheus finds the exporters of servers and proxies, through their Services; nil
// if spec has none or pods have no exporter.
func serviceMonitor(in *Input) runtime.Object {
	memcached, spec := in.Memcached, in.Memcached.Spec.Metrics.ServiceMonitor
	if spec == nil || !memcached.Spec.HasExporter() {
		return nil
	}
	endpoint := map[string]any{
		"port":            metricsPortName,
		"followRedirects": false, // a pod of any user could lead Prometheus to what only Prometheus can reach
		// The alerts and the dashboard of manifests/components/monitoring group by the name of the Memcached, also for proxies. A pod without it, which
		// another Service with the same labels has, is not scraped: its samples could have any text in this label, and alerts would contain it.
		"relabelings": []any{
			relabeling(map[string]any{"regex": ".+", "action": "keep"}),
			relabeling(map[string]any{"targetLabel": NameLabel}),
		},
		"metricRelabelings": []any{map[string]any{
			"sourceLabels": []any{"__name__"},
			"regex":        foreignMetrics,
			"action":       "drop",
		}},
	}
	if spec.Interval != "" {
		endpoint["interval"] = string(spec.Interval)
	}
	if spec.ScrapeTimeout != "" {
		endpoint["scrapeTimeout"] = string(spec.ScrapeTimeout)
	}
	labels, matchLabels := childLabels(memcached), map[string]any{}
	for _, key := range []string{"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/managed-by"} {
		matchLabels[key] = labels[key]
	}
	monitor := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{
			"selector":      map[string]any{"matchLabels": matchLabels},
			"endpoints":     []any{endpoint},
			"sampleLimit":   maxSamples,
			"bodySizeLimit": maxScrape,
		},
	}}
	monitor.SetGroupVersionKind(serviceMonitorKind)
	monitor.SetName(memcached.Name)
	monitor.SetNamespace(memcached.Namespace)
	monitor.SetLabels(AddLabels(labels, spec.Labels))
	return monitor
}

// relabeling returns a rule for the name of the Memcached, which a server has in the first label and a proxy in the second one.
func relabeling(rule map[string]any) map[string]any {
	rule["sourceLabels"] = []any{"__meta_kubernetes_pod_label_" + NameLabel, "__meta_kubernetes_pod_label_" + ProxyLabel}
	rule["separator"] = ""
	return rule
}
