package conditions

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/observed"
)

// settled returns the input of a parent with a Deployment of three pods and a Service. Its replicas are settled,
// and it has not been ready for two minutes.
func settled(t *testing.T) *checked {
	t.Helper()
	deployment, service := desiredChild(t, `{"name":"x"}`, `{}`), desiredChild(t, `{"name":"x"}`, `{"port":1}`)
	deployment.SetKind("Deployment")
	service.SetKind("Service")
	o := &checked{Input: &Input{
		Parent:   &metav1.ObjectMeta{Name: "x", Namespace: "web", UID: "uid-of-x", Generation: 7},
		Workload: settledWorkload(3),
		Pods:     readyPods(3),
		Selector: map[string]string{"app": "x"},
		Children: []runtime.Object{deployment, service},
		Now:      noon,
	}}
	notReady(o, 2*time.Minute)
	existing := map[runtime.Object]any{deployment: o.Workload, service: &observed.Child{Spec: []byte(`{"port":1}`)}}
	o.Child = func(desired runtime.Object) any {
		if workload, ok := existing[desired].(*observed.Workload); ok && o.Workload != workload {
			return nil
		}
		return existing[desired]
	}
	return o
}

func desiredChild(t *testing.T, metadata, spec string) *unstructured.Unstructured {
	t.Helper()
	var object unstructured.Unstructured
	if err := json.Unmarshal([]byte(`{"apiVersion":"v1","kind":"X","metadata":`+metadata+`,"spec":`+spec+`}`), &object.Object); err != nil {
		t.Fatal(err)
	}
	return &object
}

func notReady(o *checked, ago time.Duration) {
	o.Before.ObservedGeneration = 7
	o.Before.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionFalse, LastTransitionTime: metav1.NewTime(noon.Add(-ago))}}
}

func withoutService(o *checked) {
	before := o.Child
	o.Child = func(desired runtime.Object) any {
		if desired == o.Children[1] {
			return nil
		}
		return before(desired)
	}
}

func withoutPods(o *checked) {
	o.Pods, o.Workload.Status = nil, observed.WorkloadStatus{ObservedGeneration: 4}
}

// withTwoPods returns an edit after which a third pod is missing, and the last pod started so long ago.
func withTwoPods(ago time.Duration) func(*checked) {
	return func(o *checked) {
		o.Pods = readyPods(2)
		o.Pods[1].Status.StartTime = noon.Add(-ago)
		o.Workload.Status.Replicas, o.Workload.Status.ReadyReplicas = 2, 2
	}
}

// reasonOf returns a reason that is not documented.
func reasonOf(id string) Reason { return Reason{id: id} }

func withoutWorkload(o *checked) { o.Workload, o.Pods = nil, nil }

func TestAssess(t *testing.T) {
	cases := []struct {
		reason string
		edit   func(*checked)
		ready  string
		// degraded is the reason of Degraded; "" if Degraded is False. wait is the expected Assessment.Wait.
		degraded string
		wait     time.Duration
	}{
		{"everything matches the desired state", func(*checked) {}, "AllReplicasReady", "", 0},
		{"the controller of the Deployment lags behind its pods", func(o *checked) { o.Pods = readyPods(1) }, "RollingOut", "", 0},
		{"a child has just gone missing", func(o *checked) { withoutService(o); notReady(o, 10*time.Second) }, "ServiceMissing", "", 50 * time.Second},
		{"a child has been missing for a minute", withoutService, "ServiceMissing", "ServiceMissing", 2 * time.Minute},
		{"a child has been missing for an hour", func(o *checked) { withoutService(o); notReady(o, time.Hour) }, "ServiceMissing", "ServiceMissing", 5 * time.Minute},
		{
			"a missing child, and the spec changed 20 seconds ago",
			func(o *checked) {
				withoutService(o)
				o.Parent.SetManagedFields([]metav1.ManagedFieldsEntry{{Time: new(metav1.NewTime(noon.Add(-20 * time.Second)))}})
			},
			"ServiceMissing", "", 40 * time.Second,
		},
		{
			"a write of the status is not a change of the spec",
			func(o *checked) {
				withoutService(o)
				o.Parent.SetManagedFields([]metav1.ManagedFieldsEntry{{Subresource: "status", Time: new(metav1.NewTime(noon.Add(-20 * time.Second)))}})
			},
			"ServiceMissing", "ServiceMissing", 2 * time.Minute,
		},
		{"a missing child, and the spec has just changed", func(o *checked) { withoutService(o); o.Before.ObservedGeneration = 6 }, "ServiceMissing", "", time.Minute},
		{"a missing child, and the replicas changed by a step 15 seconds ago", func(o *checked) { withoutService(o); o.LastStep = noon.Add(-15 * time.Second) }, "ServiceMissing", "", 45 * time.Second},
		{"a missing child, and the Deployment was created 5 seconds ago", func(o *checked) { withoutService(o); o.Workload.CreationTimestamp = noon.Add(-5 * time.Second) }, "ServiceMissing", "", 55 * time.Second},
		{"a missing child, and the parent was ready until now", func(o *checked) { withoutService(o); o.Before.Conditions[0].Status = metav1.ConditionTrue }, "ServiceMissing", "", time.Minute},
		{"the API server rejects the Deployment", withoutWorkload, "DeploymentMissing", "DeploymentMissing", 2 * time.Minute},
		{"the Deployment does not exist yet", func(o *checked) { withoutWorkload(o); o.Before.Conditions = nil }, "RollingOut", "", time.Minute},
		{"a quota rejects every pod of a StatefulSet", withoutPods, "PodsMissing", "PodsMissing", 2 * time.Minute},
		{"the pods do not exist yet", func(o *checked) { withoutPods(o); notReady(o, 0) }, "RollingOut", "", time.Minute},
		{"a quota rejects one of three pods of a StatefulSet", withTwoPods(2 * time.Minute), "PodsMissing", "PodsMissing", 2 * time.Minute},
		{"the controller of the StatefulSet has not observed the latest change", func(o *checked) { withTwoPods(time.Hour)(o); o.Workload.Generation++ }, "RollingOut", "", 0},
		{"the StatefulSet has created a pod 20 seconds ago", withTwoPods(20 * time.Second), "RollingOut", "", 40 * time.Second},
		{"the clock of a node is an hour ahead, so its time is ignored", withTwoPods(-time.Hour), "PodsMissing", "PodsMissing", 2 * time.Minute},
		{"no pod is desired", func(o *checked) { withoutPods(o); o.Workload.Spec.Replicas = new(int32(0)) }, "ScaledToZero", "", 0},
		{"a user paused the Deployment", func(o *checked) { o.Workload.Spec.Paused = true }, "Paused", "Paused", 0},
		{
			"a quota rejects some pods",
			func(o *checked) {
				o.Workload.Status.Conditions = []observed.WorkloadCondition{{Type: "Progressing", Status: "False"}, {Type: "ReplicaFailure", Status: "True", Message: "exceeded quota"}}
			},
			"ReplicaFailure", "ReplicaFailure", 0,
		},
		{
			"the parent's own finding is more precise than the exceeded progress deadline",
			func(o *checked) {
				o.Workload.Status.Conditions = []observed.WorkloadCondition{{Type: "Progressing", Status: "False"}}
				o.findings = []Finding{{Problem: reasonOf("SecretNotMounted").Problem("")}}
			},
			"SecretNotMounted", "SecretNotMounted", 0,
		},
		{"a former parent has left its Deployment behind for a minute", func(o *checked) { o.Workload = nil }, "Orphaned", "Orphaned", 2 * time.Minute},
		{"a Deployment was deleted, and its pods are not deleted yet", func(o *checked) { o.Workload = nil; notReady(o, 10*time.Second) }, "RollingOut", "", 50 * time.Second},
	}
	for _, test := range cases {
		o := settled(t)
		test.edit(o)
		desired := int32(3)
		if test.ready == "ScaledToZero" {
			desired = 0
		}
		o.Rollout = RolloutOf(o.Workload, desired, o.Parent, o.Pods)
		assessed, err := Assess(o.Input, o.findings...)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		conditions := map[string]metav1.Condition{}
		for _, condition := range assessed.Conditions() {
			conditions[condition.Type] = condition
		}
		degraded := ""
		if conditions[api.Degraded].Status == metav1.ConditionTrue {
			degraded = conditions[api.Degraded].Reason
		}
		if conditions[api.Ready].Reason != test.ready || degraded != test.degraded || assessed.Wait != test.wait {
			t.Errorf("%s: Ready has reason %s, Degraded %q, wait %s; want %s, %q, %s", test.reason,
				conditions[api.Ready].Reason, degraded, assessed.Wait, test.ready, test.degraded, test.wait)
		}
	}
}

// TestRisk checks that a risk is reported and changes no other condition, also next to a problem.
func TestRisk(t *testing.T) {
	cases := []struct {
		reason string
		edit   func(*checked)
		want   string
	}{
		{"the parent has a risk", func(o *checked) { o.findings = []Finding{{Risk: reasonOf("Risk").Risk("m")}} }, "Risk"},
		{"the proxies have a risk", func(o *checked) {
			o.ProxyAssessment = &Assessment{Rollout: o.Rollout, Risk: reasonOf("Risk").Risk("m")}
		}, "Risk"},
		{"a problem does not hide a risk", func(o *checked) {
			o.findings = []Finding{{Risk: reasonOf("Risk").Risk("m")}}
			o.Workload.Spec.Paused = true
		}, "Risk"},
		{"memory that ran out is more urgent than memory that may", func(o *checked) {
			o.findings = []Finding{{Risk: reasonOf("Risk").Risk("m")}}
			o.Pods[1].Status.ContainerStatuses = killed(time.Minute).Status.ContainerStatuses
		}, "OOMKilled"},
	}
	for _, test := range cases {
		o := settled(t)
		o.Rollout = RolloutOf(o.Workload, 3, o.Parent, o.Pods)
		test.edit(o)
		with, err := Assess(o.Input, o.findings...)
		if err != nil {
			t.Fatal(err)
		}
		without := with
		without.Risk = nil
		want := without.Conditions()
		want = append(want[:4:4], append([]metav1.Condition{{Type: api.AtRisk, Status: metav1.ConditionTrue, Reason: test.want, Message: with.Risk.Message}}, want[4:]...)...)
		if diff := cmp.Diff(want, with.Conditions()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestMissingPodsMessage checks that the message has the number of pods, the causes and the command.
func TestMissingPodsMessage(t *testing.T) {
	o := settled(t)
	withTwoPods(time.Hour)(o)
	o.Workload.Name, o.Workload.Namespace = "x", "web"
	o.Rollout = RolloutOf(o.Workload, 3, o.Parent, o.Pods)
	const want = "Deployment x has 2 of 3 pods, probably because of a ResourceQuota, Pod Security, an admission webhook or a missing service account. " +
		"Check its Events: kubectl describe deployment x -n web"
	if got := missingPods(o.Input); got == nil || got.Message != want {
		t.Errorf("got %+v, want %q", got, want)
	}
}

// TestRoomRemedy checks which problems end with the remedy for a cluster without room.
func TestRoomRemedy(t *testing.T) {
	cases := []struct {
		reason, want string
		problem      *Problem
	}{
		{"the proxies exceed a quota", "exceeded quota: pods. Make room.", ReasonReplicaFailure.Problem("exceeded quota: pods")},
		{"the servers exceed a quota", "has 1 of 2 pods. Make room.", ReasonPodsMissing.Problem("has 1 of 2 pods")},
		{"the nodes are full, in a sentence of the scheduler", "3 Insufficient memory. Make room.", ReasonUnschedulable.Problem("3 Insufficient memory.")},
		{"the nodes are full for several pods", "3 Insufficient memory (Other pods have the same problem.) Make room.",
			&Problem{Reason: ReasonUnschedulable, Message: "3 Insufficient memory", others: true}},
		{"no volume is free", "no volume. Make room.", ReasonVolumeClaimPending.Problem("no volume")},
		{"a problem that room does not solve", "crashed", ReasonOOMKilled.Problem("crashed")},
	}
	for _, test := range cases {
		o := settled(t)
		o.Rollout, o.RoomRemedy = RolloutOf(o.Workload, 3, o.Parent, o.Pods), "Make room."
		o.ProxyAssessment = &Assessment{Rollout: o.Rollout, Problem: test.problem}
		before := *test.problem
		got, err := Assess(o.Input)
		if err != nil {
			t.Fatal(err)
		}
		if got.Problem == nil || got.Problem.text() != test.want {
			t.Errorf("%s: the problem is %+v, want the message %q", test.reason, got.Problem, test.want)
		}
		if *test.problem != before {
			t.Errorf("%s: the problem of the proxies changed to %+v", test.reason, test.problem)
		}
	}
}

// TestHandOverOfTwoWorkloads checks that one command adopts all children, also if the proxies were left behind too.
func TestHandOverOfTwoWorkloads(t *testing.T) {
	o := settled(t)
	o.Workload = nil
	o.ProxyAssessment = &Assessment{Problem: ReasonOrphaned.Problem("only the children of the proxies")}
	assessed, err := Assess(o.Input)
	if err != nil {
		t.Fatal(err)
	}
	if got := assessed.Problem; got.Reason != ReasonOrphaned || !strings.Contains(got.Message, "deployment/x service/x") {
		t.Errorf("the problem is %+v, want the command for all children", got)
	}
}

// TestHandOver: the message has the command that makes a parent adopt the children of a former parent.
func TestHandOver(t *testing.T) {
	o := settled(t)
	o.Workload = nil
	got, _, err := compareChildren(o.Input)
	if err != nil {
		t.Fatal(err)
	}
	const want = "Deployment x has pods, but does not belong to this resource. To adopt it with " +
		"its pods, run: kubectl label --overwrite -n web deployment/x service/x controller-uid=uid-of-x"
	if got == nil || got.Reason != ReasonOrphaned || got.Message != want {
		t.Errorf("got %+v, want %q", got, want)
	}
}
