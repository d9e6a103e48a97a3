package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestChildren(t *testing.T) {
	cases := []struct {
		reason   string
		replicas int32
		change   func(*v1alpha1.MemcachedSpec)
		want     []string
	}{
		{"one pod has no PodDisruptionBudget", 1, func(*v1alpha1.MemcachedSpec) {}, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"two pods have a PodDisruptionBudget", 2, func(*v1alpha1.MemcachedSpec) {}, []string{"Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"}},
		{"the workload is a StatefulSet", 2, func(s *v1alpha1.MemcachedSpec) { s.Workload = v1alpha1.StatefulSetWorkload }, []string{"StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy"}},
		{"the optional children are disabled", 2, func(s *v1alpha1.MemcachedSpec) {
			s.PodDisruptionBudget.Enabled, s.NetworkPolicy.Enabled = new(false), new(false)
		}, []string{"Deployment", "Service"}},
		{"a ServiceMonitor requires metrics", 1, sample.WithServiceMonitor, []string{"Deployment", "Service", "NetworkPolicy", "ServiceMonitor"}},
		{"pods with ASCII passwords have no exporter", 1, func(s *v1alpha1.MemcachedSpec) {
			sample.WithServiceMonitor(s)
			s.Auth = &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}
		}, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"spec has no ServiceMonitor", 1, func(s *v1alpha1.MemcachedSpec) { s.Metrics.Enabled = true }, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"no pods have no PodDisruptionBudget", 0, func(*v1alpha1.MemcachedSpec) {}, []string{"Deployment", "Service", "NetworkPolicy"}},
	}
	for _, test := range cases {
		memcached := sample.New(test.replicas)
		test.change(&memcached.Spec)
		var got []string
		for _, child := range Children(inputOf(memcached, test.replicas)) {
			got = append(got, child.GetObjectKind().GroupVersionKind().Kind)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
