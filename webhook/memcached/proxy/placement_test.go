package proxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// TestPlacement checks what TestApart cannot: that proxies keep the affinity of spec to nodes, that no proxy of another phase counts, and that
// proxies do not keep servers away from their nodes where spec places servers.
func TestPlacement(t *testing.T) {
	for _, test := range []struct {
		routes  string
		servers *corev1.PodAntiAffinity
		avoid   bool
	}{
		{"0-2", nil, true},
		{"0-2_0-3_warming", nil, true},
		{"0-2", &corev1.PodAntiAffinity{}, false},
	} {
		memcached := sample.Proxied(3)
		own := &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{}}
		memcached.Spec.Affinity = &corev1.Affinity{NodeAffinity: own, PodAntiAffinity: test.servers}
		pod := PodTemplate(memcached, ReleaseDefaults{}, memory.Of(&memcached.Spec), moves.ParseRoutes(test.routes))
		if diff := cmp.Diff(own, pod.Spec.Affinity.NodeAffinity); diff != "" {
			t.Errorf("the affinity to nodes (-spec +proxies):\n%s", diff)
		}
		terms := pod.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		if avoid := len(terms) == 3; avoid != test.avoid {
			t.Errorf("spec has the anti-affinity %v: proxies avoid servers: %t", test.servers, avoid)
		}
		for _, term := range terms[:2] {
			if got := term.PodAffinityTerm.LabelSelector.MatchLabels[RoutesLabel]; got != test.routes || got != pod.Labels[RoutesLabel] {
				t.Errorf("proxies with the routes %s are away from those with %q", test.routes, got)
			}
		}
	}
}
