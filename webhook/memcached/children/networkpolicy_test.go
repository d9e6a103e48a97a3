package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/sample"
)

// TestNetworkPolicyWithoutPeers checks that an empty list of peers is the default. In a NetworkPolicy it would allow every
// peer.
func TestNetworkPolicyWithoutPeers(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{}
	want := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	if diff := cmp.Diff(want, networkPolicy(memcached).Spec.Ingress[0].From); diff != "" {
		t.Errorf("an empty list of peers is not the default (-want +got):\n%s", diff)
	}
}

func TestMetricsPeers(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.Metrics.Enabled = true
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}}
	rules := networkPolicy(memcached).Spec.Ingress
	if diff := cmp.Diff(rules[0].From, rules[1].From); len(rules) != 2 || diff != "" {
		t.Errorf("by default the peers of the metrics are not those of the cache (-cache +metrics):\n%s", diff)
	}
	prometheus := []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{}}}
	memcached.Spec.NetworkPolicy.MetricsFrom = prometheus
	rules = networkPolicy(memcached).Spec.Ingress
	if diff := cmp.Diff(prometheus, rules[1].From); diff != "" || len(rules[0].Ports) != 1 || len(rules[1].Ports) != 1 {
		t.Errorf("the peers in metricsFrom may connect to more than the metrics port (-want +got):\n%s", diff)
	}
}
