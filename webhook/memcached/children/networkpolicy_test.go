package children

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func policyOf(memcached *v1alpha1.Memcached) networkingv1.NetworkPolicySpec {
	return networkPolicy(inputOf(memcached, 1)).(*networkingv1.NetworkPolicy).Spec
}

// TestNetworkPolicyWithoutPeers checks that an empty list of peers is the default. In a NetworkPolicy it would allow every
// peer.
func TestNetworkPolicyWithoutPeers(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{}
	want := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	if diff := cmp.Diff(want, policyOf(memcached).Ingress[0].From); diff != "" {
		t.Errorf("an empty list of peers is not the default (-want +got):\n%s", diff)
	}
}

// TestPeersOfEndingProxies checks that proxies reach the servers as long as they run, although spec has none any more.
func TestPeersOfEndingProxies(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}}
	in := inputOf(memcached, 1)
	in.Decision.ProxyStatus = &v1alpha1.ProxyStatus{}
	want := append([]networkingv1.NetworkPolicyPeer{Peer(ProxySelector(memcached))}, memcached.Spec.NetworkPolicy.From...)
	if diff := cmp.Diff(want, networkPolicy(in).(*networkingv1.NetworkPolicy).Spec.Ingress[0].From); diff != "" {
		t.Errorf("the proxies do not reach the servers while they end (-want +got):\n%s", diff)
	}
}

func TestMetricsPeers(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.Metrics.Enabled = true
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}}
	rules := policyOf(memcached).Ingress
	if diff := cmp.Diff(rules[0].From, rules[1].From); len(rules) != 2 || diff != "" {
		t.Errorf("by default the peers of the metrics are not those of the cache (-cache +metrics):\n%s", diff)
	}
	prometheus := []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{}}}
	memcached.Spec.NetworkPolicy.MetricsFrom = prometheus
	rules = policyOf(memcached).Ingress
	if diff := cmp.Diff(prometheus, rules[1].From); diff != "" || len(rules[0].Ports) != 1 || len(rules[1].Ports) != 1 {
		t.Errorf("the peers in metricsFrom may connect to more than the metrics port (-want +got):\n%s", diff)
	}
}

// TestEgress checks that servers may open no connections, and that Allow restricts none.
func TestEgress(t *testing.T) {
	memcached := sample.New(1)
	for _, egress := range []v1alpha1.Egress{"", v1alpha1.EgressDeny} {
		memcached.Spec.NetworkPolicy.Egress = egress
		policy := policyOf(memcached)
		if want := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}; !slices.Equal(want, policy.PolicyTypes) || policy.Egress != nil {
			t.Errorf("egress %q: the servers have the policy types %v and the rules %v, want %v and none", egress, policy.PolicyTypes, policy.Egress, want)
		}
	}
	memcached.Spec.NetworkPolicy.Egress = v1alpha1.EgressAllow
	if types := policyOf(memcached).PolicyTypes; !slices.Equal(types, []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}) {
		t.Errorf("with Allow, the policy types are %v, want Ingress", types)
	}
}
