package conditions

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/observed"
)

// TestExposed checks that pods that run without their NetworkPolicy are a problem immediately, and that nothing else is.
func TestExposed(t *testing.T) {
	cases := []struct {
		reason   string
		edit     func(*checked)
		degraded string
	}{
		{"the API server has just refused the NetworkPolicy", func(*checked) {}, "OpenToAll"},
		{"it refused the NetworkPolicy an hour ago", func(o *checked) { notReady(o, time.Hour) }, "OpenToAll"},
		{"another child is missing too", withoutService, "OpenToAll"},
		{"no container runs yet", func(o *checked) { o.Pods[0].Status.ContainerStatuses = nil }, ""},
		{"the NetworkPolicy exists", func(o *checked) {
			before := o.Child
			o.Child = func(desired runtime.Object) any {
				if desired == o.Children[2] {
					return &observed.Child{Spec: []byte(`{}`)}
				}
				return before(desired)
			}
		}, ""},
		{"the NetworkPolicy is not desired", func(o *checked) { o.Children = o.Children[:2] }, ""},
		{"the spec has changed since the last sync, and may have enabled the NetworkPolicy", func(o *checked) { o.Before.ObservedGeneration = 6 }, ""},
		{"a former resource owns the workload, and perhaps the NetworkPolicy", func(o *checked) { o.Workload = nil; notReady(o, 2*time.Minute) }, "Orphaned"},
	}
	for _, test := range cases {
		o := settled(t)
		policy := desiredChild(t, `{"name":"x"}`, `{}`)
		policy.SetKind("NetworkPolicy")
		o.Children, o.Container = append(o.Children, policy), "x"
		running := observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Time}}
		o.Pods[0].Status.ContainerStatuses = []observed.ContainerStatus{{Name: "x", State: running}}
		notReady(o, 0)
		test.edit(o)
		o.Rollout = RolloutOf(o.Workload, 3, o.Parent, o.Pods)
		assessed, err := Assess(o.Input)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if assessed.Problem != nil {
			got = assessed.Problem.Reason.String()
		}
		if got != test.degraded {
			t.Errorf("%s: Degraded has the reason %q, want %q", test.reason, got, test.degraded)
		}
	}
}
