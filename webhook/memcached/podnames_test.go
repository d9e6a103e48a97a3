package memcached

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestPodRule(t *testing.T) {
	byLabel := composite.RelatedPods("web", "memcached_cr", "cache")
	byNames := func(count int) composite.RelatedRule {
		var names []string
		for i := range count {
			names = append(names, fmt.Sprintf("cache-%d", i))
		}
		return composite.RelatedPodsByName("web", names...)
	}
	stateful := func(change func(*v1alpha1.Memcached)) func(*v1alpha1.Memcached) {
		return func(m *v1alpha1.Memcached) {
			m.Spec.Workload = v1alpha1.StatefulSetWorkload
			change(m)
		}
	}
	cases := []struct {
		reason string
		size   int32
		change func(*v1alpha1.Memcached)
		want   composite.RelatedRule
	}{
		{"the names of the pods of a Deployment are unknown", 3, func(*v1alpha1.Memcached) {}, byLabel},
		{"an unknown workload keeps the children that it has", 3, func(m *v1alpha1.Memcached) { m.Spec.Workload = "DaemonSet" }, byLabel},
		{"a new StatefulSet", 3, stateful(func(*v1alpha1.Memcached) {}), byNames(3)},
		{"a rule without names would select all pods of the namespace", 0, stateful(func(*v1alpha1.Memcached) {}), byNames(1)},
		{"scaled down: the pods exist until the StatefulSet has deleted them", 1, stateful(func(m *v1alpha1.Memcached) { m.Status.Replicas = 4 }), byNames(4)},
		{"scaled down while some pods are missing: they come back", 1, stateful(func(m *v1alpha1.Memcached) {
			m.Status.Replicas, m.Status.ServerList = 2, []string{"cache-0", "cache-1", "cache-2", "cache-3"}
		}), byNames(4)},
		{"scaled down in steps while some pods are missing", 1, stateful(func(m *v1alpha1.Memcached) {
			m.Status.ObservedGeneration, m.Spec.Scaling.MaxStep = 2, new(int32(1))
			m.Status.Replicas, m.Status.Scaling = 2, &v1alpha1.ScalingStatus{Replicas: 5}
		}), byNames(5)},
		{"scaled up: the last step counts", 7, stateful(func(m *v1alpha1.Memcached) { m.Status.Replicas = 2 }), byNames(7)},
		{"no status yet: it may adopt a StatefulSet with more pods, which shrinks in steps", 3, stateful(func(m *v1alpha1.Memcached) {
			m.Spec.Scaling.MaxStep = new(int32(1))
		}), byLabel},
		{"no status yet: it may adopt a StatefulSet with more pods, which proxies use", 3, stateful(func(m *v1alpha1.Memcached) {
			m.Spec.Proxy = &v1alpha1.Proxy{}
		}), byLabel},
		{"a size that the CRD refuses is not a number of names", 1 << 30, stateful(func(m *v1alpha1.Memcached) { m.Status.Replicas = 2 }), byNames(scaling.MaxServers)},
		{"a negative size", -1, stateful(func(*v1alpha1.Memcached) {}), byNames(1)},
		{"no size", 3, stateful(func(m *v1alpha1.Memcached) { m.Spec.Size, m.Status.Replicas = nil, 2 }), byNames(2)},
	}
	for _, test := range cases {
		memcached := sample(test.size)
		test.change(memcached)
		if diff := cmp.Diff(test.want, podRule(memcached)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestPodNamesOfOneGeneration checks that the cached names include the pods of all later syncs of the same generation.
// Metacontroller calls customize at any time in a generation and keeps the names for up to 20 minutes.
func TestPodNamesOfOneGeneration(t *testing.T) {
	for from := range int32(6) {
		for size := range int32(6) {
			memcached := sample(size)
			memcached.Status.Replicas = from
			cached := maxPods(memcached)
			for step := range from - size + 1 { // the StatefulSet shrinks
				memcached.Status.Replicas, memcached.Status.Scaling = from-step, &v1alpha1.ScalingStatus{Replicas: from - step}
				if needed := max(from-step, size); cached < needed || maxPods(memcached) < needed {
					t.Errorf("from %d to %d: %d names are cached and %d are current, want at least %d", from, size, cached, maxPods(memcached), needed)
				}
			}
		}
	}
}
