package observed

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLivePods(t *testing.T) {
	labels := map[string]string{"app": "memcached", "memcached_cr": "a"}
	pod := func(name string, change func(*Pod)) *Pod {
		p := &Pod{Meta: Meta{Name: name, Namespace: "n", Labels: map[string]string{"app": "memcached", "memcached_cr": "a", "more": "x"}}}
		change(p)
		return p
	}
	cases := []struct {
		reason string
		pod    *Pod
		live   bool
	}{
		{"a pod that waits for a node", pod("pending", func(p *Pod) { p.Status.Phase = corev1.PodPending }), true},
		{"a pod that runs", pod("running", func(p *Pod) { p.Status.Phase = corev1.PodRunning }), true},
		{"a pod that is being deleted", pod("going", func(p *Pod) { p.DeletionTimestamp = &metav1.Time{} }), false},
		{"a pod that was evicted", pod("failed", func(p *Pod) { p.Status.Phase = corev1.PodFailed }), false},
		{"a pod that has finished", pod("done", func(p *Pod) { p.Status.Phase = corev1.PodSucceeded }), false},
		{"a pod of another namespace", pod("elsewhere", func(p *Pod) { p.Namespace = "m" }), false},
		{"a pod of another parent", pod("foreign", func(p *Pod) { p.Labels["memcached_cr"] = "b" }), false},
		{"a pod without labels", pod("bare", func(p *Pod) { p.Labels = nil }), false},
	}
	for _, test := range cases {
		if live := len(LivePods(slices.Values([]*Pod{test.pod}), "n", labels)) == 1; live != test.live {
			t.Errorf("%s: live is %t", test.reason, live)
		}
	}
}

func TestNames(t *testing.T) {
	if diff := cmp.Diff([]string{"a", "b"}, PodNames([]*Pod{{Meta: Meta{Name: "b"}}, {Meta: Meta{Name: "a"}}})); diff != "" {
		t.Errorf("an order that changes is a write at every sync (-want +got):\n%s", diff)
	}
	if PodNames(nil) == nil {
		t.Error("no pods must be [] and not null, which the API server prunes")
	}
}

func TestPodConditionsThatTellSomething(t *testing.T) {
	cases := []struct {
		reason, conditions string
		want               PodConditions
	}{
		{"none yet", `[]`, nil},
		{"null is none", `null`, nil},
		{"of a pod that serves, Ready alone", `[{"type":"Initialized","status":"True"},{"type":"Ready","status":"True"},{"type":"PodScheduled","status":"True"}]`,
			PodConditions{{Type: "Ready", Status: "True"}}},
		{"what does not hold, in its order", `[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"m"},{"type":"Initialized","status":"True"},{"type":"Ready","status":"Unknown"}]`,
			PodConditions{{Type: "PodScheduled", Status: "False", Reason: "Unschedulable", Message: "m"}, {Type: "Ready", Status: "Unknown"}}},
		{"nothing of a dropped condition stays in the next", `[{"type":"Initialized","status":"True","reason":"r"},{"type":"Ready","status":"False"}]`,
			PodConditions{{Type: "Ready", Status: "False"}}},
	}
	for _, test := range cases {
		var pod Pod
		if err := json.Unmarshal([]byte(`{"status":{"conditions":`+test.conditions+`}}`), &pod); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, pod.Status.Conditions, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	var pod Pod
	if err := json.Unmarshal([]byte(`{"status":{"conditions":{}}}`), &pod); err == nil {
		t.Error("conditions that are no list are not an observation")
	}
}

func TestServes(t *testing.T) {
	cases := []struct {
		reason string
		ready  PodCondition
		main   bool
		serves bool
	}{
		{"a pod that is ready", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}, true, true},
		{"another container is down", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"}, true, true},
		{"this container is down", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"}, false, false},
		{"its node is lost", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse}, true, false},
		{"a readiness gate is shut", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ReadinessGatesNotReady"}, true, false},
	}
	for _, test := range cases {
		pod := &Pod{Status: PodStatus{Conditions: PodConditions{test.ready}, ContainerStatuses: []ContainerStatus{
			{Name: "sidecar", Ready: !test.main}, {Name: "memcached", Ready: test.main},
		}}}
		if serves := pod.Serves("memcached"); serves != test.serves {
			t.Errorf("%s: it serves: %t", test.reason, serves)
		}
	}
}
