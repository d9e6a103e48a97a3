package monitoring

import (
	"cmp"
	"maps"
	"path/filepath"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

// TestTargetsOfTenantsAreLimited checks that Prometheus limits what a pod of any user responds, and that such a pod cannot add to the
// metrics of the operator and of the cluster, which alerts and dashboard select by name.
func TestTargetsOfTenantsAreLimited(t *testing.T) {
	var pods monitoringv1.PodMonitor
	documents(t, filepath.Join(lab.Component, "caches.yaml"), &pods)
	_, service := serviceAndMonitor(t)
	cases := []struct {
		monitor         string
		samples         *uint64
		bytes           *monitoringv1.ByteSize
		followRedirects *bool
		rules           []monitoringv1.RelabelConfig
	}{
		{"the PodMonitor of all caches", pods.Spec.SampleLimit, pods.Spec.BodySizeLimit, pods.Spec.PodMetricsEndpoints[0].FollowRedirects, pods.Spec.PodMetricsEndpoints[0].MetricRelabelConfigs},
		{"the ServiceMonitor of a cache", service.Spec.SampleLimit, service.Spec.BodySizeLimit, service.Spec.Endpoints[0].FollowRedirects, service.Spec.Endpoints[0].MetricRelabelConfigs},
	}
	own := map[string]bool{
		"memcached_proxy_reads_total":   true, // of webhook/exporter
		"process_cpu_seconds_total":     true, // of each program in Go
		"process_resident_memory_bytes": true, // the same
	}
	for _, name := range exporterMetrics() {
		own[name] = true
	}
	names := maps.Clone(own)
	for where, query := range queries(t) {
		for _, selector := range selectors(t, where, query) {
			names[selector.Name] = true
		}
	}
	delete(names, "up") // Prometheus adds it
	for _, test := range cases {
		if test.samples == nil || *test.samples != 5000 || test.bytes == nil || *test.bytes != "10MB" {
			t.Errorf("%s: want at most 5000 samples and 10MB", test.monitor)
		}
		if test.followRedirects == nil || *test.followRedirects {
			t.Errorf("%s: Prometheus follows a redirect of a tenant's pod, for example to the exporter of another one", test.monitor)
		}
		for name := range names {
			if kept := keeps(t, test.rules, name); kept != own[name] {
				t.Errorf("%s: Prometheus keeps %s of a cache: %v, want %v", test.monitor, name, kept, own[name])
			}
		}
	}
}

// TestTargetsOfTenantsHaveTheNameOfTheirPod checks that a pod of any user cannot choose the name of the cache in its samples, because alerts
// contain it: the label of a target replaces that of a sample, but only if it is not empty.
func TestTargetsOfTenantsHaveTheNameOfTheirPod(t *testing.T) {
	var pods monitoringv1.PodMonitor
	documents(t, filepath.Join(lab.Component, "caches.yaml"), &pods)
	_, service := serviceAndMonitor(t)
	for _, test := range []struct {
		reason string
		labels labels.Labels
		want   string // "" if Prometheus does not scrape the pod
	}{
		{"a server", labels.FromStrings(serverLabel, "secure", containerLabel, "exporter", serviceLabel, "secure"), "secure"},
		{"a proxy", labels.FromStrings(proxyLabel, "secure", containerLabel, "exporter", serviceLabel, "secure-proxy"), "secure"},
		{"a pod without the labels", labels.FromStrings("memcached_cr", "chosen", containerLabel, "exporter", serviceLabel, "secure"), ""},
	} {
		for _, rules := range [][]monitoringv1.RelabelConfig{pods.Spec.PodMetricsEndpoints[0].RelabelConfigs, service.Spec.Endpoints[0].RelabelConfigs} {
			builder := labels.NewBuilder(test.labels)
			got := ""
			if relabeled(t, builder, rules) {
				got = builder.Labels().Get("memcached_cr")
			}
			if got != test.want {
				t.Errorf("%s: samples have the name %q, want %q", test.reason, got, test.want)
			}
		}
	}
}

// These are labels of a target.
const (
	serverLabel    = "__meta_kubernetes_pod_label_memcached_cr"
	proxyLabel     = "__meta_kubernetes_pod_label_memcached_proxy"
	containerLabel = "__meta_kubernetes_pod_container_name"
	serviceLabel   = "__meta_kubernetes_service_name"
)

// TestOneContainerOfEachPod checks that a pod of any user with 100 containers is one target: the limit of samples is that of a target.
func TestOneContainerOfEachPod(t *testing.T) {
	var pods monitoringv1.PodMonitor
	documents(t, filepath.Join(lab.Component, "caches.yaml"), &pods)
	target := labels.NewBuilder(labels.FromStrings(serverLabel, "cache", containerLabel, "another"))
	if relabeled(t, target, pods.Spec.PodMetricsEndpoints[0].RelabelConfigs) {
		t.Error("Prometheus scrapes a container that is no exporter")
	}
}

// TestOneServiceOfEachPod checks that a pod with any number of Services of any user is one target for the same reason.
func TestOneServiceOfEachPod(t *testing.T) {
	_, monitor := serviceAndMonitor(t)
	for _, test := range []struct{ service, label, pod string }{
		{"another", serverLabel, "secure"},
		{"another", proxyLabel, "secure"},
		{"secure-proxy", serverLabel, "secure"},
		{"secure", proxyLabel, "secure"},
		{"secure", serverLabel, "another"},
	} {
		target := labels.NewBuilder(labels.FromStrings(serviceLabel, test.service, test.label, test.pod))
		if relabeled(t, target, monitor.Spec.Endpoints[0].RelabelConfigs) {
			t.Errorf("Prometheus scrapes a pod with %s=%s by the Service %s", test.label, test.pod, test.service)
		}
	}
}

// keeps reports whether Prometheus stores a metric.
func keeps(t *testing.T, rules []monitoringv1.RelabelConfig, name string) bool {
	t.Helper()
	return relabeled(t, labels.NewBuilder(labels.FromStrings(model.MetricNameLabel, name)), rules)
}

// relabeled applies rules, and reports whether they keep a target or a sample.
func relabeled(t *testing.T, builder *labels.Builder, rules []monitoringv1.RelabelConfig) bool {
	t.Helper()
	for _, rule := range rules {
		config := relabel.DefaultRelabelConfig
		config.Action, config.TargetLabel = relabel.Action(cmp.Or(rule.Action, "replace")), rule.TargetLabel
		if rule.Regex != "" {
			config.Regex = relabel.MustNewRegexp(rule.Regex)
		}
		if rule.Separator != nil {
			config.Separator = *rule.Separator
		}
		for _, label := range rule.SourceLabels {
			config.SourceLabels = append(config.SourceLabels, model.LabelName(label))
		}
		if err := config.Validate(model.UTF8Validation); err != nil {
			t.Fatal(err)
		}
		if !relabel.ProcessBuilder(builder, &config) {
			return false
		}
	}
	return true
}
