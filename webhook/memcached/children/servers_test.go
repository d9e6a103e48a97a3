package children

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func podAt(ip string, ready corev1.ConditionStatus) *observed.Pod {
	return &observed.Pod{Status: observed.PodStatus{PodIP: ip, Conditions: []observed.PodCondition{{Type: corev1.PodReady, Status: ready}}}}
}

func TestServers(t *testing.T) {
	stateful := sample.New(2)
	stateful.Spec.Workload = v1alpha1.StatefulSetWorkload
	cases := []struct {
		reason    string
		memcached *v1alpha1.Memcached
		replicas  int32
		pods      []*observed.Pod
		want      []string
	}{
		{"without pods, the servers are empty and not nil", sample.New(2), 2, nil, []string{}},
		{"addresses are sorted as numbers", sample.New(2), 2,
			[]*observed.Pod{podAt("10.0.0.10", corev1.ConditionTrue), podAt("10.0.0.9", corev1.ConditionTrue)},
			[]string{"10.0.0.9:11211", "10.0.0.10:11211"}},
		{"pods that do not serve are omitted", sample.New(2), 2,
			[]*observed.Pod{podAt("10.0.0.1", corev1.ConditionFalse), podAt("", corev1.ConditionTrue)}, []string{}},
		{"an IPv6 address is in brackets", sample.New(1), 1,
			[]*observed.Pod{podAt("fd00::a", corev1.ConditionTrue)}, []string{"[fd00::a]:11211"}},
		{"the names of a StatefulSet are listed even if pods do not serve", stateful, 2, nil,
			[]string{"cache-0.cache.web.svc.cluster.local:11211", "cache-1.cache.web.svc.cluster.local:11211"}},
		{"without replicas, the servers are empty and not nil", stateful, 0, nil, []string{}},
	}
	for _, test := range cases {
		if diff := cmp.Diff(test.want, Servers(test.memcached, "cluster.local", moves.Range{Count: test.replicas}, test.pods)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestOrdinal: anybody who may create a pod can give it the labels of a server, and any name.
func TestOrdinal(t *testing.T) {
	for name, want := range map[string]bool{"cache-0": true, "cache-12": true, "cache-01": false, "cache": false, "cache-x": false, "cache--1": false, "cache-2147483647": false} {
		pod := &observed.Pod{}
		pod.Name = name
		if _, got := Ordinal(sample.New(2), pod); got != want {
			t.Errorf("%s is a server: %t, want %t", name, got, want)
		}
	}
}

// TestRecordedServers checks which range of a StatefulSet the servers in status are.
func TestRecordedServers(t *testing.T) {
	cases := []struct {
		reason  string
		servers []string
		want    moves.Range
	}{
		{"no servers", nil, moves.Range{}},
		{"after a change of the pod template", []string{"cache-3.cache.web.svc.cluster.local:11211", "cache-4.cache.web.svc.cluster.local:11211"}, moves.Range{First: 3, Count: 2}},
		{"a Deployment", []string{"10.0.0.1:11211"}, moves.Range{}},
		{"somebody has edited status", []string{"cache-3.other.web.svc:11211"}, moves.Range{}},
	}
	for _, test := range cases {
		if got := RecordedOrdinals(sample.New(2), test.servers); got != test.want {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

// TestServing checks which pods clients reach.
func TestServing(t *testing.T) {
	var pods []*observed.Pod
	for _, name := range []string{"cache-0", "cache-1", "cache-2", "cache-x", "other-1"} {
		pods = append(pods, &observed.Pod{Meta: observed.Meta{Name: name}})
	}
	for label, want := range map[string][]string{
		"0-0":               {"cache-0"},
		"0-0_1-2_preparing": {"cache-0"},
		"0-0_1-2_warming":   {"cache-1", "cache-2"},
		"3-5":               {},
	} {
		got := ServingPods(sample.New(3), moves.ParseRoutes(label), pods)
		var names []string
		for _, pod := range got {
			names = append(names, pod.Name)
		}
		if !slices.Equal(want, names) {
			t.Errorf("routes %q: %q serve, want %q", label, names, want)
		}
	}
	if ServingPods(sample.New(3), moves.ParseRoutes("3-5"), pods) == nil {
		t.Error("no server serves, and nil means that clients reach all")
	}
}
