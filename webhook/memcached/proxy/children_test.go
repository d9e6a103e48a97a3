package proxy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// ingressOf returns the rules of proxies that have an image of the exporter; "" if they have none.
func ingressOf(memcached *v1alpha1.Memcached, exporter string) []networkingv1.NetworkPolicyIngressRule {
	in := &Input{Memcached: memcached, Template: Template{Defaults: ReleaseDefaults{ExporterImage: exporter}}}
	return networkPolicy(in).(*networkingv1.NetworkPolicy).Spec.Ingress
}

// TestServerPeers checks that the proxies and the pods that copy items may connect to the servers, but not to their exporters.
func TestServerPeers(t *testing.T) {
	shop := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shop"}}}
	proxies := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "memcached-proxy", "memcached_proxy": "cache"}}}
	job := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "memcached-move", "memcached_move": "cache"}}}
	memcached := sample.Proxied(3)
	memcached.Spec.Metrics.Enabled = true
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{shop}
	all := children.Children(&children.Input{Memcached: memcached, Decision: moves.Decision{ProxyStatus: &v1alpha1.ProxyStatus{}}})
	rules := all[slices.IndexFunc(all, func(child runtime.Object) bool {
		return child.GetObjectKind().GroupVersionKind().Kind == "NetworkPolicy"
	})].(*networkingv1.NetworkPolicy).Spec.Ingress
	if diff := cmp.Diff([]networkingv1.NetworkPolicyPeer{proxies, job, shop}, rules[0].From); diff != "" {
		t.Errorf("peers of the servers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]networkingv1.NetworkPolicyPeer{job, shop}, ingressOf(memcached, "operator:1")[0].From); diff != "" {
		t.Errorf("peers of the proxies (-want +got):\n%s", diff)
	}
	for _, rule := range []networkingv1.NetworkPolicyIngressRule{rules[1], ingressOf(memcached, "operator:1")[1]} {
		if diff := cmp.Diff([]networkingv1.NetworkPolicyPeer{shop}, rule.From); diff != "" {
			t.Errorf("peers of the exporters (-want +got):\n%s", diff)
		}
	}
	if rules := ingressOf(memcached, ""); len(rules) != 1 {
		t.Errorf("proxies without an exporter have the rules %v, want one for clients", rules)
	}
	memcached.Spec.Proxy.Warmup.Enabled = new(false)
	if diff := cmp.Diff([]networkingv1.NetworkPolicyPeer{job, shop}, ingressOf(memcached, "operator:1")[0].From); diff != "" {
		t.Errorf("peers of the proxies without a warm-up, where a Job still cleans servers that return (-want +got):\n%s", diff)
	}
}
