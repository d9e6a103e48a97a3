package object

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var parent = &metav1.ObjectMeta{Generation: 7}

func settledWorkload(replicas int32) *Workload {
	return &Workload{
		Meta:   Meta{Name: "x", Generation: 4, Annotations: Annotations{ParentGeneration: "7"}},
		Spec:   WorkloadSpec{Replicas: &replicas},
		Status: WorkloadStatus{ObservedGeneration: 4, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas},
	}
}

func TestSettled(t *testing.T) {
	cases := []struct {
		reason string
		change func(*Workload)
		want   bool
	}{
		{"all as asked for", func(*Workload) {}, true},
		{"the workload was made for an older spec", func(w *Workload) { w.Annotations.ParentGeneration = "6" }, false},
		{"its controller has not seen the latest spec", func(w *Workload) { w.Generation = 5 }, false},
		{"somebody scaled it by hand", func(w *Workload) { w.Spec.Replicas = new(int32(9)) }, false},
		{"an old replica still runs", func(w *Workload) { w.Status.Replicas = 4 }, false},
		{"one replica is of the old template", func(w *Workload) { w.Status.UpdatedReplicas = 2 }, false},
		{"one replica is not ready", func(w *Workload) { w.Status.ReadyReplicas = 2 }, false},
		{"one replica is ready, but not for minReadySeconds", func(w *Workload) { w.Status.AvailableReplicas = 2 }, false},
		{"it is being deleted", func(w *Workload) { w.DeletionTimestamp = &metav1.Time{} }, false},
	}
	for _, test := range cases {
		workload := settledWorkload(3)
		test.change(workload)
		if got := RolloutOf(workload, 3, parent).Settled(); got != test.want {
			t.Errorf("%s: settled is %t", test.reason, got)
		}
	}
	if RolloutOf(nil, 0, parent).Settled() {
		t.Error("a workload that does not exist yet is settled, even one of no replicas")
	}
}

func TestConditions(t *testing.T) {
	problem := &Problem{Reason: "OOMKilled", Message: "pod a: too much"}
	cases := []struct {
		reason  string
		rollout Rollout
		problem *Problem
		want    map[string]string
	}{
		{"nothing exists yet", Rollout{Desired: 3}, nil,
			map[string]string{Available: "False NoReplicaReady", Ready: "False RollingOut", Progressing: "True RollingOut", Degraded: "False AsExpected"}},
		{"all runs", RolloutOf(settledWorkload(3), 3, parent), nil,
			map[string]string{Available: "True ReplicaReady", Ready: "True AllReplicasReady", Progressing: "False Settled", Degraded: "False AsExpected"}},
		{"none is asked for", RolloutOf(settledWorkload(0), 0, parent), nil,
			map[string]string{Available: "False ScaledToZero", Ready: "True ScaledToZero", Progressing: "False Settled", Degraded: "False AsExpected"}},
		{"the last pods serve while it scales to zero", Rollout{Desired: 0, Ready: 1, Replicas: 1, Current: true}, nil,
			map[string]string{Available: "True ReplicaReady", Ready: "False RollingOut", Progressing: "True RollingOut", Degraded: "False AsExpected"}},
		{"all serve, but not for minReadySeconds", Rollout{Desired: 3, Replicas: 3, Updated: 3, Ready: 3, Available: 1, Current: true}, nil,
			map[string]string{Available: "True ReplicaReady", Ready: "False MinReadySeconds", Progressing: "True MinReadySeconds", Degraded: "False AsExpected"}},
		{"one of three is stuck", Rollout{Desired: 3, Replicas: 3, Updated: 3, Ready: 2, Current: true}, problem,
			map[string]string{Available: "True ReplicaReady", Ready: "False OOMKilled", Progressing: "True RollingOut", Degraded: "True OOMKilled"}},
	}
	for _, test := range cases {
		got := map[string]string{}
		for _, condition := range Conditions(test.rollout, test.problem) {
			got[condition.Type] = string(condition.Status) + " " + condition.Reason
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestStampKeepsTheTimeOfTransition(t *testing.T) {
	before, now := metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(2000, 0))
	observed := []metav1.Condition{
		{Type: Ready, Status: metav1.ConditionTrue, Reason: "Old", LastTransitionTime: before},
		{Type: Degraded, Status: metav1.ConditionFalse, LastTransitionTime: before},
		{Type: "Foreign", Status: metav1.ConditionTrue, LastTransitionTime: before},
	}
	got := Stamp([]metav1.Condition{
		condition(Ready, true, "New", "same status, other reason"),
		condition(Degraded, true, "OOMKilled", "flipped"),
	}, observed, 5, now)
	want := []metav1.Condition{
		{Type: Ready, Status: metav1.ConditionTrue, Reason: "New", Message: "same status, other reason", ObservedGeneration: 5, LastTransitionTime: before},
		{Type: Degraded, Status: metav1.ConditionTrue, Reason: "OOMKilled", Message: "flipped", ObservedGeneration: 5, LastTransitionTime: now},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("only a flip of the status is a transition, and foreign conditions are not ours to keep (-want +got):\n%s", diff)
	}
	if observed[0].Reason != "Old" {
		t.Error("the observed conditions were changed")
	}
}

func TestRolloutSays(t *testing.T) {
	cases := []struct {
		reason  string
		rollout Rollout
		want    string
	}{
		{"the workload has not heard of it", Rollout{Desired: 3, Ready: 2}, "2 of 3 replicas are ready, the latest change is not rolled out yet"},
		{"on the way", Rollout{Desired: 3, Updated: 2, Ready: 3, Current: true}, "2 of 3 replicas are up to date, 3 are ready"},
		{"all there, and only time is wanting", Rollout{Desired: 3, Updated: 3, Ready: 3, Available: 1, Current: true}, "all 3 replicas are up to date and ready, but not all for as long as minReadySeconds asks"},
		{"another has waited long enough, which is no news", Rollout{Desired: 3, Updated: 3, Ready: 3, Available: 2, Current: true}, "all 3 replicas are up to date and ready, but not all for as long as minReadySeconds asks"},
	}
	for _, test := range cases {
		if got := test.rollout.String(); got != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}
