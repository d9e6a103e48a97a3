package children

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// serviceMonitorKind is a kind of the Prometheus operator, which a cluster may not have. This module does not import its
// types. test/monitoring compares the object below with them.
var serviceMonitorKind = schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitor"}

// maxSamples limits what a target adds to Prometheus: a pod of any user can have the labels. The exporter of a server has about 40 for each
// of at most 63 slab classes.
const maxSamples = int64(5000)

// maxScrape limits the memory of Prometheus for a response, which can be compressed. That of an exporter with maxSamples has less than 1 MB.
const maxScrape = "10MB"

// foreignMetrics are those of the operator and of the cluster, by which alerts and dashboards find problems. An exporter has none of them.
const foreignMetrics = "(memcached_operator|metacontroller|kube|container)_.*"

// nameSources are the labels of a target with the name of the Memcached: a server has the first one, and a proxy the second one.
var nameSources = []any{"__meta_kubernetes_pod_label_" + NameLabel, "__meta_kubernetes_pod_label_" + ProxyLabel}

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
		// The alerts and the dashboard of manifests/components/monitoring group by the name of the Memcached, also for proxies. Any user can
		// create Services with the labels of the cache. Other pods behind them are no targets, because they could have any text in the label that alerts
		// contain. And its own pods are no targets once more, because sampleLimit is for each target.
		"relabelings": []any{
			map[string]any{
				"sourceLabels": append([]any{"__meta_kubernetes_service_name"}, nameSources...),
				"regex":        fmt.Sprintf("%[1]s;%[1]s;|%[1]s%[2]s;;%[1]s", memcached.Name, ProxySuffix),
				"action":       "keep",
			},
			map[string]any{"sourceLabels": nameSources, "separator": "", "targetLabel": NameLabel},
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
