package proxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

// TestPlacement checks what TestProxiesApart cannot: that proxies keep the affinity of spec to nodes, and that no proxy of another phase counts. The
// scheduler ignores all constraints of a pod on nodes without the label of one of them, so there is one.
func TestPlacement(t *testing.T) {
	memcached := sample.Proxied(3)
	own := &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{}}
	memcached.Spec.Affinity = &corev1.Affinity{NodeAffinity: own, PodAntiAffinity: &corev1.PodAntiAffinity{}}
	for _, routes := range []string{"0-2", "0-2_0-3_warming"} {
		pod := PodTemplate(memcached, Defaults{Apart: true}, memory.Of(&memcached.Spec), scaling.ParseRoutes(routes))
		if diff := cmp.Diff(own, pod.Spec.Affinity.NodeAffinity); diff != "" {
			t.Errorf("the affinity to nodes (-spec +proxies):\n%s", diff)
		}
		zones := pod.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution[0].PodAffinityTerm
		if got := zones.LabelSelector.MatchLabels[RoutesLabel]; got != routes || got != pod.Labels[RoutesLabel] {
			t.Errorf("proxies with the routes %s are in other zones than those with %q", routes, got)
		}
		if nodes := pod.Spec.TopologySpreadConstraints; len(nodes) != 1 || nodes[0].TopologyKey != corev1.LabelHostname || len(nodes[0].MatchLabelKeys) != 1 {
			t.Errorf("the constraints are %+v, want one for nodes with a key of the rollout", nodes)
		}
	}
}
