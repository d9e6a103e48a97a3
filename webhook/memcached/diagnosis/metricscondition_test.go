package diagnosis

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// exporterPods returns one pod for each exporter, which is ready or not.
func exporterPods(exporterReady ...bool) []*observed.Pod {
	var pods []*observed.Pod
	for _, ready := range exporterReady {
		pods = append(pods, &observed.Pod{Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{
			{Name: children.ExporterName, Ready: ready}, {Name: children.ContainerName, Ready: true},
		}}})
	}
	return pods
}

func TestMetricsReady(t *testing.T) {
	exporter := v1alpha1.MemcachedSpec{Metrics: v1alpha1.Metrics{Enabled: true}}
	monitored := v1alpha1.MemcachedSpec{Metrics: v1alpha1.Metrics{Enabled: true, ServiceMonitor: &v1alpha1.ServiceMonitor{}}}
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		pods   []*observed.Pod
		proxy  []*observed.Pod
		listed bool
		want   string
	}{
		{"metrics are not enabled", v1alpha1.MemcachedSpec{}, exporterPods(true), nil, true, ""},
		{"all exporters are ready", exporter, exporterPods(true, true), nil, false, "Exporting"},
		{"one exporter is not ready", exporter, exporterPods(true, false), nil, false, "ExportersNotReady"},
		{"a pod of an earlier template has no exporter", exporter, append(exporterPods(true), &observed.Pod{}), nil, false, "ExportersNotReady"},
		{"a proxy has no exporter", exporter, exporterPods(true), []*observed.Pod{{}}, false, "ExportersNotReady"},
		{"there are no pods", exporter, nil, nil, false, "ExportersNotReady"},
		{"the exporter does not support ASCII passwords", v1alpha1.MemcachedSpec{Metrics: v1alpha1.Metrics{Enabled: true}, Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}}, exporterPods(true), nil, true, "UnsupportedWithASCII"},
		{"the exporter supports SASL", v1alpha1.MemcachedSpec{Metrics: v1alpha1.Metrics{Enabled: true}, Auth: &v1alpha1.Auth{}}, exporterPods(true), nil, true, "Exporting"},
		{"the CompositeController does not list ServiceMonitors", monitored, exporterPods(true), nil, false, "ServiceMonitorNotManaged"},
		{"the CompositeController lists ServiceMonitors", monitored, exporterPods(true), nil, true, "Exporting"},
	}
	for _, test := range cases {
		got := ""
		if condition := metricsReady(&Input{Memcached: cacheOf(test.spec), Input: &conditions.Input{Pods: test.pods}, ProxyPods: test.proxy, ListsMonitors: test.listed}); condition != nil {
			got = condition.Reason
			if (condition.Status == metav1.ConditionTrue) != (got == "Exporting") || condition.Type != MetricsReady || condition.Message == "" {
				t.Errorf("%s: the condition is %v", test.reason, condition)
			}
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
