package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func exporting(ready ...bool) []*observed.Pod {
	var pods []*observed.Pod
	for _, ready := range ready {
		pods = append(pods, &observed.Pod{Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{
			{Name: exporterName, Ready: ready}, {Name: containerName, Ready: true},
		}}})
	}
	return pods
}

func TestMetricsReady(t *testing.T) {
	plain := v1alpha1.MemcachedSpec{Metrics: v1alpha1.Metrics{Enabled: true}}
	monitored := v1alpha1.MemcachedSpec{Metrics: v1alpha1.Metrics{Enabled: true, ServiceMonitor: &v1alpha1.ServiceMonitor{}}}
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		pods   []*observed.Pod
		listed bool
		want   string
	}{
		{"nobody asked", v1alpha1.MemcachedSpec{}, exporting(true), true, ""},
		{"all run", plain, exporting(true, true), false, "Exporting"},
		{"one does not", plain, exporting(true, false), false, "ExportersNotReady"},
		{"a pod of before has none", plain, append(exporting(true), &observed.Pod{}), false, "ExportersNotReady"},
		{"no pods, no metrics", plain, nil, false, "ExportersNotReady"},
		{"an exporter cannot log in", v1alpha1.MemcachedSpec{Metrics: v1alpha1.Metrics{Enabled: true}, Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}}, exporting(true), true, "UnsupportedWithASCII"},
		{"it need not with SASL", v1alpha1.MemcachedSpec{Metrics: v1alpha1.Metrics{Enabled: true}, Auth: &v1alpha1.Auth{}}, exporting(true), true, "Exporting"},
		{"Prometheus is not told of them", monitored, exporting(true), false, "ServiceMonitorNotListed"},
		{"it is", monitored, exporting(true), true, "Exporting"},
	}
	for _, test := range cases {
		got := ""
		if condition := metricsReady(&test.spec, test.pods, test.listed); condition != nil {
			got = condition.Reason
			if (condition.Status == metav1.ConditionTrue) != (got == ReasonExporting) || condition.Type != MetricsReady || condition.Message == "" {
				t.Errorf("%s: the condition is %v", test.reason, condition)
			}
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestExporterReads(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   string
	}{
		{"the port of clients speaks plain ASCII", v1alpha1.MemcachedSpec{}, "--memcached.address=127.0.0.1:11211"},
		{"it speaks TLS", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}}, "--memcached.address=127.0.0.1:11213"},
		{"it speaks the binary protocol alone", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{}}, "--memcached.address=127.0.0.1:11213"},
	}
	for _, test := range cases {
		test.spec.Metrics.Enabled = true
		if diff := cmp.Diff([]string{test.want, "--web.listen-address=:9150"}, exporter(&test.spec).Args); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestNobodyElseReadsTheMetrics(t *testing.T) {
	memcached := sample(1)
	memcached.Spec.Metrics.Enabled = true
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}}
	rules := networkPolicy(memcached).Spec.Ingress
	if diff := cmp.Diff(rules[0].From, rules[1].From); len(rules) != 2 || diff != "" {
		t.Errorf("by default those who may use the cache may read its metrics (-cache +metrics):\n%s", diff)
	}
	prometheus := []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{}}}
	memcached.Spec.NetworkPolicy.MetricsFrom = prometheus
	rules = networkPolicy(memcached).Spec.Ingress
	if diff := cmp.Diff(prometheus, rules[1].From); diff != "" || len(rules[0].Ports) != 1 || len(rules[1].Ports) != 1 {
		t.Errorf("who may read the metrics may read nothing else (-want +got):\n%s", diff)
	}
}
