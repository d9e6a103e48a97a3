package conditions

import (
	"fmt"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/resources"
)

var testParent = &metav1.ObjectMeta{Generation: 7}

func settledWorkload(replicas int32) *observed.Workload {
	var spec observed.WorkloadSpec
	if err := jsonv2.Unmarshal(fmt.Appendf(nil, `{"replicas":%d}`, replicas), &spec); err != nil {
		panic(err)
	}
	return &observed.Workload{
		ChildMeta: observed.ChildMeta{Meta: observed.Meta{Name: "x"}, Generation: 4, Annotations: map[string]string{resources.ParentGenerationAnnotation: "7"}},
		Spec:      spec,
		Status:    observed.WorkloadStatus{ObservedGeneration: 4, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas},
	}
}

func readyPods(number int) []*observed.Pod {
	var pods []*observed.Pod
	for range number {
		pods = append(pods, &observed.Pod{Status: observed.PodStatus{Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}})
	}
	return pods
}

func TestSettled(t *testing.T) {
	cases := []struct {
		reason string
		change func(*observed.Workload)
		want   bool
	}{
		{"everything matches the desired state", func(*observed.Workload) {}, true},
		{"the workload was built for an older spec", func(w *observed.Workload) { w.Annotations[resources.ParentGenerationAnnotation] = "6" }, false},
		{"the workload controller has not observed the latest spec", func(w *observed.Workload) { w.Generation = 5 }, false},
		{"a user scaled the workload", func(w *observed.Workload) { w.Spec.Replicas = new(int32(9)) }, false},
		{"the workload has no number of replicas", func(w *observed.Workload) { w.Spec.Replicas = nil }, false},
		{"an old replica still runs", func(w *observed.Workload) { w.Status.Replicas = 4 }, false},
		{"one replica has the old template", func(w *observed.Workload) { w.Status.UpdatedReplicas = 2 }, false},
		{"one replica is not ready", func(w *observed.Workload) { w.Status.ReadyReplicas = 2 }, false},
		{"one replica has been ready for less than minReadySeconds", func(w *observed.Workload) { w.Status.AvailableReplicas = 2 }, false},
		{"the workload is being deleted", func(w *observed.Workload) { w.DeletionTimestamp = &metav1.Time{} }, false},
	}
	for _, test := range cases {
		workload := settledWorkload(3)
		test.change(workload)
		if got := RolloutOf(workload, 3, testParent, readyPods(3)).Settled(); got != test.want {
			t.Errorf("%s: settled is %t", test.reason, got)
		}
	}
	if RolloutOf(nil, 0, testParent, nil).Settled() {
		t.Error("a workload that does not exist is settled")
	}
	if RolloutOf(settledWorkload(3), 3, testParent, readyPods(2)).Settled() {
		t.Error("a workload with fewer ready pods than its status reports is settled")
	}
}

func TestConditions(t *testing.T) {
	problem, blocker := ReasonOOMKilled.Problem("pod a: too much"), ReasonReplicaFailure.Problem("exceeded quota")
	remains := Reason{id: "SecretNotReloaded", severity: SeverityStalled}.Problem("pod a: bad key")
	waits := ReasonChildMissing.named("ServiceMissing").Progress("Service x does not exist")
	cases := []struct {
		reason   string
		assessed Assessment
		want     map[string]string
	}{
		{"nothing exists yet", Assessment{Rollout: Rollout{Desired: 3}},
			map[string]string{api.Available: "False NoReplicaReady", api.Ready: "False RollingOut", api.Progressing: "True RollingOut", api.Degraded: "False AsExpected"}},
		{"everything runs", Assessment{Rollout: RolloutOf(settledWorkload(3), 3, testParent, readyPods(3))},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "True AllReplicasReady", api.Progressing: "False Settled", api.Degraded: "False AsExpected"}},
		{"no replica is desired", Assessment{Rollout: RolloutOf(settledWorkload(0), 0, testParent, nil)},
			map[string]string{api.Available: "False ScaledToZero", api.Ready: "True ScaledToZero", api.Progressing: "False Settled", api.Degraded: "False AsExpected"}},
		{"the last pod serves while it scales to zero", Assessment{Rollout: Rollout{Desired: 0, Ready: 1, Replicas: 1, Current: true}},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "False RollingOut", api.Progressing: "True RollingOut", api.Degraded: "False AsExpected"}},
		{"all are ready, but not for minReadySeconds", Assessment{Rollout: Rollout{Desired: 3, Replicas: 3, Updated: 3, Ready: 3, Available: 1, Current: true, readyPods: 3}},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "False MinReadySeconds", api.Progressing: "True MinReadySeconds", api.Degraded: "False AsExpected"}},
		{"one of three has a problem, and may recover", Assessment{Rollout: Rollout{Desired: 3, Replicas: 3, Updated: 3, Ready: 2, Current: true}, Problem: problem},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "False OOMKilled", api.Progressing: "True RollingOut", api.Degraded: "True OOMKilled"}},
		{"nothing progresses until a user acts", Assessment{Rollout: Rollout{Desired: 3, Replicas: 2, Updated: 2, Ready: 2, Current: true}, Problem: blocker},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "False ReplicaFailure", api.Progressing: "False ReplicaFailure", api.Degraded: "True ReplicaFailure", api.Stalled: "True ReplicaFailure"}},
		{"a problem while all replicas run: Ready and Degraded are never both True", Assessment{Rollout: RolloutOf(settledWorkload(3), 3, testParent, readyPods(3)), Problem: problem},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "False OOMKilled", api.Progressing: "False Settled", api.Degraded: "True OOMKilled"}},
		{"a problem that remains until a user acts, while all replicas run", Assessment{Rollout: RolloutOf(settledWorkload(3), 3, testParent, readyPods(3)), Problem: remains},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "False SecretNotReloaded", api.Progressing: "False Settled", api.Degraded: "True SecretNotReloaded", api.Stalled: "True SecretNotReloaded"}},
		{"a problem that remains until a user acts, while other replicas start", Assessment{Rollout: Rollout{Desired: 3, Replicas: 3, Updated: 3, Ready: 2, Current: true}, Problem: remains},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "False SecretNotReloaded", api.Progressing: "True RollingOut", api.Degraded: "True SecretNotReloaded"}},
		{"another child is missing", Assessment{Rollout: RolloutOf(settledWorkload(3), 3, testParent, readyPods(3)), pending: waits},
			map[string]string{api.Available: "True ReplicaReady", api.Ready: "False ServiceMissing", api.Progressing: "True ServiceMissing", api.Degraded: "False AsExpected"}},
		{"memcached serves in a pod that is not ready", Assessment{Rollout: Rollout{Desired: 1}, serves: true},
			map[string]string{api.Available: "True Serving", api.Ready: "False RollingOut", api.Progressing: "True RollingOut", api.Degraded: "False AsExpected"}},
	}
	for _, test := range cases {
		got := map[string]string{}
		for _, condition := range test.assessed.Conditions() {
			got[condition.Type] = string(condition.Status) + " " + condition.Reason
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestRolloutMessage(t *testing.T) {
	const waitsForMinReadySeconds = "3 of 3 pods are updated and ready, but some have not been ready for minReadySeconds yet."
	cases := []struct {
		reason  string
		rollout Rollout
		want    string
	}{
		{"the workload is not created yet", Rollout{Desired: 3}, "The latest change has not been rolled out yet. Pods: 3 desired, 0 ready."},
		{"the workload does not have the latest spec", Rollout{exists: true, Desired: 3, Ready: 2}, "The latest change has not been rolled out yet. Pods: 3 desired, 2 ready."},
		{"the workload scales down", Rollout{exists: true, Desired: 2, Ready: 4}, "The latest change has not been rolled out yet. Pods: 2 desired, 4 ready."},
		{"a rollout in progress", Rollout{exists: true, Desired: 3, Replicas: 4, Updated: 2, Ready: 3, Current: true, readyPods: 3}, "Pods: 3 desired, 4 existing, 2 updated, 3 ready."},
		{"only minReadySeconds have not passed", Rollout{exists: true, Desired: 3, Updated: 3, Ready: 3, Available: 1, Current: true, readyPods: 3}, waitsForMinReadySeconds},
		{"one more replica is available, which does not change the message", Rollout{exists: true, Desired: 3, Updated: 3, Ready: 3, Available: 2, Current: true, readyPods: 3}, waitsForMinReadySeconds},
	}
	for _, test := range cases {
		if got := test.rollout.progress().Message; got != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}
