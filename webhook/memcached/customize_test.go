package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestRulesForHolders checks when the rules select workloads of other owners: each rule of each parent costs CPU time for each
// event of a pod.
func TestRulesForHolders(t *testing.T) {
	degraded := func(status metav1.ConditionStatus) v1alpha1.MemcachedStatus {
		return v1alpha1.MemcachedStatus{ReplicaStatus: api.ReplicaStatus{
			ObservedGeneration: 1, Conditions: []metav1.Condition{{Type: api.Degraded, Status: status}},
		}}
	}
	withProxy := func(m *v1alpha1.Memcached) { m.Spec.Proxy = &v1alpha1.Proxy{Replicas: new(int32(2))} }
	all := []string{"pods", "deployments", "statefulsets"}
	cases := []struct {
		reason string
		change func(*v1alpha1.Memcached)
		want   []string
	}{
		{"the name of a new parent may be taken", func(*v1alpha1.Memcached) {}, all},
		{"the parent has its workload", func(m *v1alpha1.Memcached) { m.Status = degraded(metav1.ConditionFalse) }, []string{"pods"}},
		{"the workload may have been replaced by another one", func(m *v1alpha1.Memcached) { m.Status = degraded(metav1.ConditionTrue) }, all},
		{"proxies were added, and their name may be taken", func(m *v1alpha1.Memcached) {
			m.Status = degraded(metav1.ConditionFalse)
			withProxy(m)
		}, []string{"pods", "pods", "deployments", "statefulsets"}},
		{"the parent has its proxies", func(m *v1alpha1.Memcached) {
			m.Status = degraded(metav1.ConditionFalse)
			m.Status.Proxy = &v1alpha1.ProxyStatus{}
			withProxy(m)
		}, []string{"pods", "pods"}},
	}
	for _, test := range cases {
		memcached := sample(3)
		test.change(memcached)
		var resources []string
		for _, rule := range customize(memcached) {
			resources = append(resources, rule.Resource)
		}
		if diff := cmp.Diff(test.want, resources); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
