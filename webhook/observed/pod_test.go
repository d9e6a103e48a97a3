package observed

import (
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
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
		{"a pod that is not scheduled yet", pod("pending", func(p *Pod) { p.Status.Phase = corev1.PodPending }), true},
		{"a pod that runs", pod("running", func(p *Pod) { p.Status.Phase = corev1.PodRunning }), true},
		{"a pod that is being deleted", pod("terminating", func(p *Pod) { p.DeletionTimestamp = &metav1.Time{} }), false},
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

// TestSidecarRunning checks that only an init container that runs counts.
func TestSidecarRunning(t *testing.T) {
	running := `{"name":"hold","state":{"running":{"startedAt":"2026-11-21T12:00:00Z"}}}`
	for _, test := range []struct {
		reason, status string
		want           bool
	}{
		{"the sidecar runs", `{"initContainerStatuses":[{"name":"init","state":{"terminated":{}}},` + running + `]}`, true},
		{"the sidecar waits for its restart", `{"initContainerStatuses":[{"name":"hold","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}`, false},
		{"another sidecar runs", `{"initContainerStatuses":[{"name":"istio-proxy","state":{"running":{"startedAt":"2026-11-21T12:00:00Z"}}}]}`, false},
		{"a container has the name", `{"containerStatuses":[` + running + `]}`, false},
		{"nothing has started", `{}`, false},
	} {
		var pod Pod
		if err := jsonv2.Unmarshal([]byte(`{"status":`+test.status+`}`), &pod); err != nil {
			t.Fatal(err)
		}
		if got := pod.SidecarRunning("hold"); got != test.want {
			t.Errorf("%s: running is %t", test.reason, got)
		}
	}
}

func TestNames(t *testing.T) {
	if diff := cmp.Diff([]string{"a", "b"}, PodNames([]*Pod{{Meta: Meta{Name: "b"}}, {Meta: Meta{Name: "a"}}})); diff != "" {
		t.Errorf("an unstable order is a write at every sync (-want +got):\n%s", diff)
	}
	if PodNames(nil) == nil {
		t.Error("PodNames(nil) is null, which the API server prunes")
	}
}

func TestPodConditions(t *testing.T) {
	cases := []struct {
		reason, conditions string
		want               PodConditions
	}{
		{"no condition yet", `[]`, nil},
		{"null", `null`, nil},
		{"a ready pod keeps only Ready", `[{"type":"Initialized","status":"True"},{"type":"Ready","status":"True"},{"type":"PodScheduled","status":"True"}]`,
			PodConditions{{Type: "Ready", Status: "True"}}},
		{"conditions that are not True, in their order", `[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"m"},{"type":"Initialized","status":"True"},{"type":"Ready","status":"Unknown"}]`,
			PodConditions{{Type: "PodScheduled", Status: "False", Reason: "Unschedulable", Message: "m"}, {Type: "Ready", Status: "Unknown"}}},
		{"no field of a dropped condition remains", `[{"type":"Initialized","status":"True","reason":"r"},{"type":"Ready","status":"False"}]`,
			PodConditions{{Type: "Ready", Status: "False"}}},
	}
	for _, test := range cases {
		var pod Pod
		if err := jsonv2.Unmarshal([]byte(`{"status":{"conditions":`+test.conditions+`}}`), &pod); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, pod.Status.Conditions, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	var pod Pod
	if err := jsonv2.Unmarshal([]byte(`{"status":{"conditions":{}}}`), &pod); err == nil {
		t.Error("conditions that are not a list are accepted")
	}
}

// TestMaxEntries checks that lists of any length cost little: rules look into one list for each entry of another.
func TestMaxEntries(t *testing.T) {
	entries := func(each string) string { return "[" + strings.Repeat(each+",", 50_000) + `{"name":"last"}]` }
	var pod Pod
	if err := jsonv2.Unmarshal([]byte(`{"status":{"phase":"Running","conditions":`+entries(`{"type":"Ready"}`)+`,"containerStatuses":`+entries(`{"name":"a"}`)+`,"podIP":"10.0.0.1"}}`), &pod); err != nil {
		t.Fatal(err)
	}
	if conditions, containers := len(pod.Status.Conditions), len(pod.Status.ContainerStatuses); conditions != maxEntries || containers != maxEntries || pod.Status.PodIP == "" {
		t.Errorf("the pod has %d conditions and %d containers, want %d of each, and the field after them: %q", conditions, containers, maxEntries, pod.Status.PodIP)
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
		{"another container is not ready", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"}, true, true},
		{"the container itself is not ready", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"}, false, false},
		{"the node is lost", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse}, true, false},
		{"a readiness gate is closed", PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ReadinessGatesNotReady"}, true, false},
	}
	for _, test := range cases {
		pod := &Pod{Status: PodStatus{Conditions: PodConditions{test.ready}, ContainerStatuses: []ContainerStatus{
			{Name: "sidecar", Ready: !test.main}, {Name: "memcached", Ready: test.main},
		}}}
		if serves := pod.Serves("memcached"); serves != test.serves {
			t.Errorf("%s: serves is %t", test.reason, serves)
		}
	}
}

// TestIsLost has the conditions that kubelets and the node lifecycle controller of Kubernetes 1.37 set. Of which kind the pod is makes no difference.
func TestIsLost(t *testing.T) {
	for _, test := range []struct {
		reason, condition string
		want              bool
	}{
		{"the node is lost", `{"type":"Ready","status":"False","lastTransitionTime":"2026-11-21T12:00:00Z"}`, true},
		{"the node is lost, and its taint has deleted the pod", `{"type":"Ready","status":"False"},{"type":"DisruptionTarget","status":"True","reason":"DeletionByTaintManager"}`, true},
		{"the pod is ready", `{"type":"Ready","status":"True"}`, false},
		{"a container is not ready, also if the node is lost later", `{"type":"Ready","status":"False","reason":"ContainersNotReady"}`, false},
		{"a readiness gate is closed", `{"type":"Ready","status":"False","reason":"ReadinessGatesNotReady"},{"type":"example.com/open","status":"False"}`, false},
		{"the pod has ended", `{"type":"Ready","status":"False","reason":"PodCompleted"}`, false},
		{"the pod has failed, for example because its node shuts down", `{"type":"Ready","status":"False","reason":"PodFailed"}`, false},
		{"no node has room for the pod", `{"type":"PodScheduled","status":"False","reason":"Unschedulable"}`, false},
		{"another condition has no reason", `{"type":"Ready","status":"True"},{"type":"example.com/open","status":"False"}`, false},
	} {
		var pod Pod
		if err := jsonv2.Unmarshal([]byte(`{"status":{"conditions":[`+test.condition+`]}}`), &pod); err != nil {
			t.Fatal(err)
		}
		if got := pod.IsLost(); got != test.want {
			t.Errorf("%s: lost is %t", test.reason, got)
		}
	}
}
