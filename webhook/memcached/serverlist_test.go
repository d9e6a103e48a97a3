package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func podAt(ip string, ready corev1.ConditionStatus) *observed.Pod {
	return &observed.Pod{Status: observed.PodStatus{PodIP: ip, Conditions: []observed.PodCondition{{Type: corev1.PodReady, Status: ready}}}}
}

func TestServerList(t *testing.T) {
	stateful := sample(2)
	stateful.Spec.Workload = v1alpha1.StatefulSetWorkload
	cases := []struct {
		reason    string
		memcached *v1alpha1.Memcached
		replicas  int32
		pods      []*observed.Pod
		want      []string
	}{
		{"no pods are an empty list, not none", sample(2), 2, nil, []string{}},
		{"in the order of the addresses, as numbers", sample(2), 2,
			[]*observed.Pod{podAt("10.0.0.10", corev1.ConditionTrue), podAt("10.0.0.9", corev1.ConditionTrue)},
			[]string{"10.0.0.9:11211", "10.0.0.10:11211"}},
		{"a pod that does not serve would only be waited for", sample(2), 2,
			[]*observed.Pod{podAt("10.0.0.1", corev1.ConditionFalse), podAt("", corev1.ConditionTrue)}, []string{}},
		{"an IPv6 address in brackets", sample(1), 1,
			[]*observed.Pod{podAt("fd00::a", corev1.ConditionTrue)}, []string{"[fd00::a]:11211"}},
		{"names stay, whether the pods serve or not", stateful, 2, nil,
			[]string{"cache-0.cache.web.svc:11211", "cache-1.cache.web.svc:11211"}},
		{"no names are an empty list", stateful, 0, nil, []string{}},
	}
	for _, test := range cases {
		if diff := cmp.Diff(test.want, serverList(test.memcached, test.replicas, test.pods)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
