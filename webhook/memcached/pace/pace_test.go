package pace

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

var noon = metav1.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestStatus(t *testing.T) {
	rollingOut := func(nodes, servers []string, available metav1.ConditionStatus) v1alpha1.MemcachedStatus {
		condition := func(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
			return metav1.Condition{Type: kind, Status: status, Reason: reason, LastTransitionTime: noon}
		}
		return v1alpha1.MemcachedStatus{
			ReplicaStatus: api.ReplicaStatus{Nodes: nodes, ObservedGeneration: 1, Conditions: []metav1.Condition{
				condition(api.Available, available, ""),
				condition(api.Ready, metav1.ConditionFalse, "RollingOut"),
				condition(api.Progressing, metav1.ConditionTrue, "RollingOut"),
				condition(api.Degraded, metav1.ConditionFalse, "AsExpected"),
			}},
			Servers: servers,
		}
	}
	starting := rollingOut([]string{"a"}, []string{}, metav1.ConditionFalse)
	serving := rollingOut([]string{"a"}, []string{}, metav1.ConditionTrue)
	progressed := rollingOut([]string{"a", "b"}, []string{"10.0.0.1:11211"}, metav1.ConditionTrue)
	with := func(status v1alpha1.MemcachedStatus, change func(*v1alpha1.MemcachedStatus)) v1alpha1.MemcachedStatus {
		status = *status.DeepCopy()
		change(&status)
		return status
	}
	cases := []struct {
		reason        string
		before, after v1alpha1.MemcachedStatus
		elapsed       time.Duration
		held          bool
		wait          time.Duration
	}{
		{"new pods and servers are reported together", starting, progressed, 500 * time.Millisecond, true, 29500 * time.Millisecond},
		{"progress is reported in the window after 30 seconds", starting, progressed, 30 * time.Second, false, 0},
		{"the window lasts a second", starting, progressed, 30900 * time.Millisecond, false, 0},
		{"progress is not reported after the window", starting, progressed, 31 * time.Second, true, 29 * time.Second},
		{"there is a window every 30 seconds", serving, progressed, 329 * time.Second, true, time.Second},
		{"Available is reported after a minute, also outside a window", starting, progressed, 64 * time.Second, false, 0},
		{"the transition is in the future, because a clock is behind", starting, progressed, -time.Second, false, 0},
		{"nothing has changed", progressed, progressed, 0, false, 0},
		{"the first status is reported immediately", v1alpha1.MemcachedStatus{}, starting, 0, false, 0},
		{"an earlier version wrote no servers", with(starting, func(s *v1alpha1.MemcachedStatus) { s.Servers = nil }), progressed, 0, false, 0},
		{"the removal of a server is reported immediately", progressed, starting, 0, false, 0},
		{"Ready is reported immediately", starting, with(progressed, func(s *v1alpha1.MemcachedStatus) {
			s.Conditions[1].Status, s.Conditions[2].Status = metav1.ConditionTrue, metav1.ConditionFalse
		}), 0, false, 0},
		{"it is reported immediately that all pods serve", starting, with(progressed, func(s *v1alpha1.MemcachedStatus) {
			s.Conditions[1].Reason, s.Conditions[2].Reason = "MinReadySeconds", "MinReadySeconds"
		}), 0, false, 0},
		{"a problem is reported immediately", starting, with(progressed, func(s *v1alpha1.MemcachedStatus) { s.Conditions[3].Status = metav1.ConditionTrue }), 0, false, 0},
		{"another problem is reported immediately", starting, with(progressed, func(s *v1alpha1.MemcachedStatus) { s.Conditions[1].Reason = "Unschedulable" }), 0, false, 0},
		{"it is reported immediately that no pod serves", progressed, with(progressed, func(s *v1alpha1.MemcachedStatus) { s.Conditions[0].Status = metav1.ConditionFalse }), 0, false, 0},
		{"a new generation is reported immediately", starting, with(progressed, func(s *v1alpha1.MemcachedStatus) { s.ObservedGeneration = 2 }), 0, false, 0},
		{"a step is reported immediately, because the next one depends on its time", starting, with(progressed, func(s *v1alpha1.MemcachedStatus) { s.Scaling = &v1alpha1.ScalingStatus{Replicas: 2} }), 0, false, 0},
		{"a new condition is reported immediately", starting, with(progressed, func(s *v1alpha1.MemcachedStatus) { s.Conditions = append(s.Conditions, metav1.Condition{Type: "New"}) }), 0, false, 0},
	}
	for _, test := range cases {
		got, wait := Status(test.before, test.after, metav1.NewTime(noon.Add(test.elapsed)))
		want := test.after
		if test.held {
			want = test.before
		}
		if diff := cmp.Diff(want, got); diff != "" || wait != test.wait {
			t.Errorf("%s: the wait is %s, want %s; status (-want +got):\n%s", test.reason, wait, test.wait, diff)
		}
	}
}

// TestProxyProgressIsPaced checks that the number of ready proxies alone causes no write of the status, and a phase does.
func TestProxyProgressIsPaced(t *testing.T) {
	before := v1alpha1.ProxyStatus{ReadyReplicas: 1, ServingServers: 3, LastChangeTime: &noon}
	after := before
	after.ReadyReplicas = 2
	if !sameProxies(&before, &after) || !sameProxies(nil, nil) {
		t.Error("a ready proxy is not progress")
	}
	after.Resize = &v1alpha1.ResizeStatus{Phase: v1alpha1.ResizePreparing}
	if sameProxies(&before, &after) || sameProxies(nil, &after) || sameProxies(&before, nil) {
		t.Error("a phase is only progress")
	}
}
