package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/test/internal/paired"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestSettled(t *testing.T) {
	for reason, test := range map[string]struct {
		edit func(m *v1alpha1.Memcached, pods []corev1.Pod)
		want bool
	}{
		"nothing is under way": {func(*v1alpha1.Memcached, []corev1.Pod) {}, true},
		"an old status":        {func(m *v1alpha1.Memcached, _ []corev1.Pod) { m.Generation++ }, false},
		"not ready":            {func(m *v1alpha1.Memcached, _ []corev1.Pod) { m.Status.Conditions[0].Status = metav1.ConditionFalse }, false},
		"in progress":          {func(m *v1alpha1.Memcached, _ []corev1.Pod) { m.Status.Conditions[1].Status = metav1.ConditionTrue }, false},
		"items move":           {func(m *v1alpha1.Memcached, _ []corev1.Pod) { m.Status.Proxy.Move = &v1alpha1.MoveStatus{} }, false},
		"no proxies":           {func(m *v1alpha1.Memcached, _ []corev1.Pod) { m.Status.Proxy = nil }, false},
		"a pod terminates": {func(_ *v1alpha1.Memcached, pods []corev1.Pod) {
			pods[1].DeletionTimestamp = &metav1.Time{Time: time.Now()}
		}, false},
		"a pod is not ready": {func(_ *v1alpha1.Memcached, pods []corev1.Pod) { pods[1].Status.Conditions = nil }, false},
		"a spare runs":       {func(m *v1alpha1.Memcached, _ []corev1.Pod) { m.Spec.Size = new(int32(1)); m.Status.Replicas = 1 }, false},
	} {
		m := v1alpha1.Memcached{Spec: v1alpha1.MemcachedSpec{Size: new(int32(2))}}
		m.Status.Replicas, m.Status.Proxy = 2, &v1alpha1.ProxyStatus{}
		m.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue}, {Type: "Progressing", Status: metav1.ConditionFalse}}
		pods := make([]corev1.Pod, 2)
		for i := range pods {
			pods[i].Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}
		test.edit(&m, pods)
		if got := settled(m, pods); got != test.want {
			t.Errorf("%s: got %t, want %t", reason, got, test.want)
		}
	}
}

func TestGoals(t *testing.T) {
	g := goals{minKept: 0.99, maxBehind: 0.5}
	all, some := paired.Kept{Control: 1000, Both: 990}, paired.Kept{Control: 1000, Both: 989}
	worst := func(hits int) paired.Second { return paired.Second{Reads: 1000, Hits: [paired.Caches]int{hits, 1000}} }
	for reason, test := range map[string]struct {
		used, unread paired.Kept
		worst        paired.Second
		bad          int
		want         int
	}{
		"all goals are reached":     {all, all, worst(995), 0, 0},
		"used items are lost":       {some, all, worst(995), 0, 1},
		"items not read are lost":   {all, some, worst(995), 0, 1},
		"a second is worse":         {all, all, worst(994), 0, 1},
		"each kind of wrong values": {all, all, worst(995), 1, len(paired.Kinds)},
		"nothing to keep":           {paired.Kept{}, paired.Kept{}, paired.Second{}, 0, 2},
	} {
		if got := g.missed(test.used, test.unread, test.worst, func(string) int { return test.bad }); len(got) != test.want {
			t.Errorf("%s: got %v, want %d", reason, got, test.want)
		}
	}
}

func TestSlotsOn(t *testing.T) {
	var servers []corev1.Pod
	for _, name := range []string{"cache-10", "cache-11", "cache-9"} {
		servers = append(servers, corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: "node-of-" + name}})
	}
	if got, want := slotsOn(servers, "node-of-cache-9"), []bool{true, false, false}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: the server with the lowest ordinal has the first slot", got, want)
	}
}

func TestWritesAgain(t *testing.T) {
	start := time.Now()
	write := func(second int, failed bool) paired.Write {
		return paired.Write{At: start.Add(time.Duration(second) * time.Second), Failed: failed}
	}
	for _, test := range []struct {
		reason string
		writes []paired.Write
		want   string
	}{
		{"no write", nil, "none of 0 writes of its keys failed"},
		{"a failure before the node is lost", []paired.Write{write(-1, true), write(1, false)}, "none of 2 writes of its keys failed"},
		{"a success between two failures", []paired.Write{write(2, true), write(3, false), write(9, true), write(10, false)},
			"writes of its keys failed from 2.0 s until 9.0 s, 2 of 4"},
	} {
		if got := writesAgain(start, test.writes); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestWorstOfSteps checks that a second counts for the step in which it begins, and that a step without reads has none.
func TestWorstOfSteps(t *testing.T) {
	start := time.Now()
	s := &steps{all: []step{{"steady", start}, {"drain a", start.Add(2500 * time.Millisecond)}, {"steady again", start.Add(9 * time.Second)}}}
	var seconds []paired.Second
	for _, hits := range []int{999, 998, 995, 990, 997} {
		seconds = append(seconds, paired.Second{Reads: 1000, Hits: [paired.Caches]int{hits, 1000}})
	}
	var got []int
	for _, each := range s.worst(seconds) {
		got = append(got, each.Hits[paired.Changed])
	}
	if want := []int{998, 990, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestWithError checks that no terminal executes what a server or kubectl responds.
func TestWithError(t *testing.T) {
	if got, want := withError(errors.New("a\x1b[2J\u202e\nb")), ": a [2J \nb"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestReadyAddresses: with metrics or TLS, the Service of the proxies has other ports, in any order.
func TestReadyAddresses(t *testing.T) {
	var ports []discoveryv1.EndpointPort
	for i, name := range []string{"metrics", "move", "memcached"} {
		ports = append(ports, discoveryv1.EndpointPort{Name: &name, Port: new(int32(i))})
	}
	slice := discoveryv1.EndpointSlice{Ports: ports, Endpoints: []discoveryv1.Endpoint{
		{Addresses: []string{"10.0.0.1"}},
		{Addresses: []string{"10.0.0.2"}, Conditions: discoveryv1.EndpointConditions{Ready: new(false)}},
	}}
	if got, want := readyAddresses(slice), []string{"10.0.0.1:2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCurve: neither a second with few reads, whose ratio is random, nor one before the action is the lowest, which is not rounded up, and a name
// is text.
func TestCurve(t *testing.T) {
	start := time.Now()
	second := func(reads, changed, control int) paired.Second {
		return paired.Second{Reads: reads, Hits: [paired.Caches]int{changed, control}}
	}
	before := slices.Repeat([]paired.Second{second(1000, 100, 100)}, lead)
	steps := []step{{"steady", start}, {"patch", start.Add((lead + 1) * time.Second)}, {steadyAgain, start.Add((lead + 3) * time.Second)}}
	for reason, test := range map[string]struct {
		after []paired.Second
		want  []string
	}{
		"a low ratio": {
			[]paired.Second{second(10000, 9889, 10000), second(3, 1, 1), second(1000, 1000, 400)},
			[]string{">a &amp; b: lowest one-second hit ratio 98.8%<", ">c: lowest one-second hit ratio 40.0%<", "673.8,102.7 784.0,100.0", ">-10 s<"},
		},
		"high ratios, whose difference is drawn": {
			[]paired.Second{second(1000, 990, 980), second(1000, 975, 980), second(1000, 1000, 1000)},
			[]string{">a &amp; b, difference from c: at most 0.50 points behind<", ">percentage points<", ">complete<"},
		},
	} {
		got := curve("title", append(append([]paired.Second{second(1000, 300, 300)}, before...), test.after...), steps, [paired.Caches]string{"a & b", "c"})
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the picture does not have %q:\n%s", reason, want, got)
			}
		}
	}
}

// TestTimeline: a pod of the first look is old, one with the same name after it is new, one that has ended has no longer a bar, and one lasts until a look
// no longer finds it.
func TestTimeline(t *testing.T) {
	pod := func(name, uid, label string, ready corev1.ConditionStatus) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid), Labels: map[string]string{label: "cache"}},
			Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
		}
	}
	old, again := pod("cache-0", "1", children.NameLabel, "True"), pod("cache-0", "2", children.NameLabel, "False")
	ended := pod("cache-move-x", "3", children.MoveLabel, "False")
	ended.Status.Phase = corev1.PodSucceeded
	terminating := old
	terminating.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	var line timeline
	line.look(0, "cache", "", []corev1.Pod{old, pod("other-0", "4", "app", "True")})
	line.look(1, "cache", "Closing", []corev1.Pod{terminating, again, ended})
	again.Status.Conditions[0].Status = "True"
	line.look(2, "cache", "Closing", []corev1.Pod{again})
	var got []span
	for _, each := range line.spans {
		got = append(got, *each)
	}
	want := []span{{oldServers, "cache-0", 0, 0, 1, 2}, {phases, "Closing", 1, 1, -1, 2}, {newServers, "cache-0", 1, 2, -1, 2}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// TestServerAddresses: while the pod of a server has no ready endpoint, clients know no address of it.
func TestServerAddresses(t *testing.T) {
	name, ready := func(pod string) *corev1.ObjectReference { return &corev1.ObjectReference{Name: pod} }, new(true)
	slice := discoveryv1.EndpointSlice{Ports: []discoveryv1.EndpointPort{{Name: new("memcached"), Port: new(int32(1))}}, Endpoints: []discoveryv1.Endpoint{
		{Addresses: []string{"10.0.0.2"}, TargetRef: name("plain-1"), Conditions: discoveryv1.EndpointConditions{Ready: ready}},
		{Addresses: []string{"10.0.0.1"}, TargetRef: name("plain-0"), Conditions: discoveryv1.EndpointConditions{Ready: new(false)}},
	}}
	if got, want := addressesOf(slice, "plain-1"), []string{"10.0.0.2:1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := addressesOf(slice, "plain-0"); len(got) > 0 {
		t.Errorf("got %q of a pod that is not ready", got)
	}
}
