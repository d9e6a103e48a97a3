package memcached

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestPaced(t *testing.T) {
	rollingOut := func(nodes, servers []string, available metav1.ConditionStatus) v1alpha1.MemcachedStatus {
		condition := func(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
			return metav1.Condition{Type: kind, Status: status, Reason: reason, LastTransitionTime: noon}
		}
		return v1alpha1.MemcachedStatus{
			ReplicaStatus: api.ReplicaStatus{Nodes: nodes, ObservedGeneration: 1, Conditions: []metav1.Condition{
				condition(api.Available, available, ""),
				condition(api.Ready, metav1.ConditionFalse, conditions.ReasonRollingOut),
				condition(api.Progressing, metav1.ConditionTrue, conditions.ReasonRollingOut),
				condition(api.Degraded, metav1.ConditionFalse, conditions.ReasonAsExpected),
			}},
			ServerList: servers,
		}
	}
	begun := rollingOut([]string{"a"}, []string{}, metav1.ConditionFalse)
	serving := rollingOut([]string{"a"}, []string{}, metav1.ConditionTrue)
	further := rollingOut([]string{"a", "b"}, []string{"10.0.0.1:11211"}, metav1.ConditionTrue)
	with := func(status v1alpha1.MemcachedStatus, change func(*v1alpha1.MemcachedStatus)) v1alpha1.MemcachedStatus {
		status = *status.DeepCopy()
		change(&status)
		return status
	}
	cases := []struct {
		reason        string
		before, after v1alpha1.MemcachedStatus
		since         time.Duration
		held          bool
		wait          time.Duration
	}{
		{"pods and servers that come are told together", begun, further, 500 * time.Millisecond, true, 4500 * time.Millisecond},
		{"a rollout that takes longer tells how far it is", begun, further, 5 * time.Second, false, 0},
		{"also when it is asked a moment late", begun, further, 5900 * time.Millisecond, false, 0},
		{"and then waits again", begun, further, 6 * time.Second, true, 4 * time.Second},
		{"as often as it takes", serving, further, 304 * time.Second, true, time.Second},
		{"who serves for a minute is not kept from those who wait for it", begun, further, 64 * time.Second, false, 0},
		{"a clock that is behind must not hold anything back for ever", begun, further, -time.Second, false, 0},
		{"nothing has changed, so there is nothing to tell later", further, further, 0, false, 0},
		{"the first status is never late", v1alpha1.MemcachedStatus{}, begun, 0, false, 0},
		{"a status without lists is of another version", with(begun, func(s *v1alpha1.MemcachedStatus) { s.ServerList = nil }), further, 0, false, 0},
		{"clients must learn at once of a server that is gone", further, begun, 0, false, 0},
		{"ready is what everybody waits for", begun, with(further, func(s *v1alpha1.MemcachedStatus) {
			s.Conditions[1].Status, s.Conditions[2].Status = metav1.ConditionTrue, metav1.ConditionFalse
		}), 0, false, 0},
		{"and that all pods serve, which is all but ready", begun, with(further, func(s *v1alpha1.MemcachedStatus) {
			s.Conditions[1].Reason, s.Conditions[2].Reason = conditions.ReasonMinReadySeconds, conditions.ReasonMinReadySeconds
		}), 0, false, 0},
		{"a problem cannot wait", begun, with(further, func(s *v1alpha1.MemcachedStatus) { s.Conditions[3].Status = metav1.ConditionTrue }), 0, false, 0},
		{"another problem cannot either", begun, with(further, func(s *v1alpha1.MemcachedStatus) { s.Conditions[1].Reason = "Unschedulable" }), 0, false, 0},
		{"nobody serves any more", further, with(further, func(s *v1alpha1.MemcachedStatus) { s.Conditions[0].Status = metav1.ConditionFalse }), 0, false, 0},
		{"an edit is answered", begun, with(further, func(s *v1alpha1.MemcachedStatus) { s.ObservedGeneration = 2 }), 0, false, 0},
		{"the next step counts from the one that status tells", begun, with(further, func(s *v1alpha1.MemcachedStatus) { s.Scaling = &v1alpha1.ScalingStatus{Replicas: 2} }), 0, false, 0},
		{"a condition is new", begun, with(further, func(s *v1alpha1.MemcachedStatus) { s.Conditions = append(s.Conditions, metav1.Condition{Type: "New"}) }), 0, false, 0},
	}
	for _, test := range cases {
		got, wait := paced(test.before, test.after, metav1.NewTime(noon.Add(test.since)))
		want := test.after
		if test.held {
			want = test.before
		}
		if diff := cmp.Diff(want, got); diff != "" || wait != test.wait {
			t.Errorf("%s: waits %s, not %s; status (-want +got):\n%s", test.reason, wait, test.wait, diff)
		}
	}
}
