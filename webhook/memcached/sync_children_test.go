package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func withServiceMonitor(spec *v1alpha1.MemcachedSpec) {
	spec.Metrics = v1alpha1.Metrics{Enabled: true, ServiceMonitor: &v1alpha1.ServiceMonitor{}}
}

func TestDesiredChildren(t *testing.T) {
	cases := []struct {
		reason   string
		replicas int32
		change   func(*v1alpha1.MemcachedSpec)
		monitors bool
		want     []string
	}{
		{"one pod has no PodDisruptionBudget", 1, func(*v1alpha1.MemcachedSpec) {}, false, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"two pods have a PodDisruptionBudget", 2, func(*v1alpha1.MemcachedSpec) {}, false, []string{"Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"}},
		{"the workload is a StatefulSet", 2, func(s *v1alpha1.MemcachedSpec) { s.Workload = v1alpha1.StatefulSetWorkload }, false, []string{"StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy"}},
		{"the optional children are disabled", 2, func(s *v1alpha1.MemcachedSpec) {
			s.PodDisruptionBudget.Enabled, s.NetworkPolicy.Enabled = new(false), new(false)
		}, false, []string{"Deployment", "Service"}},
		{"a ServiceMonitor requires metrics", 1, withServiceMonitor, true, []string{"Deployment", "Service", "NetworkPolicy", "ServiceMonitor"}},
		{"the CompositeController does not list ServiceMonitors, so it would never delete one", 1, withServiceMonitor, false, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"pods with ASCII passwords have no exporter", 1, func(s *v1alpha1.MemcachedSpec) {
			withServiceMonitor(s)
			s.Auth = &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}
		}, true, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"spec has no ServiceMonitor", 1, func(s *v1alpha1.MemcachedSpec) { s.Metrics.Enabled = true }, true, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"no pods have no PodDisruptionBudget", 0, func(*v1alpha1.MemcachedSpec) {}, false, []string{"Deployment", "Service", "NetworkPolicy"}},
	}
	for _, test := range cases {
		memcached := sample(test.replicas)
		test.change(&memcached.Spec)
		var got []string
		existing := &childGroups{}
		if test.monitors {
			existing.ServiceMonitors.Group = composite.GroupOf[observed.Child]()
		}
		for _, child := range desiredChildren(memcached, planOf(memcached, test.replicas, ""), existing) {
			got = append(got, child.GetObjectKind().GroupVersionKind().Kind)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
