package diagnosis

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestProxyReachesNoServer(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		reason  string
		runs    time.Duration
		change  func(*observed.Pod, *moves.Decision)
		problem bool
		wait    time.Duration
	}{
		{"it has run for a minute", time.Minute, func(*observed.Pod, *moves.Decision) {}, true, 0},
		{"it has just started", 20 * time.Second, func(*observed.Pod, *moves.Decision) {}, false, 40 * time.Second},
		{"the clock of the node is ahead", -time.Hour, func(*observed.Pod, *moves.Decision) {}, false, time.Minute},
		{"it has reached a server", time.Hour, func(p *observed.Pod, _ *moves.Decision) { p.Status.ContainerStatuses[0].Started = true }, false, 0},
		{"it does not run", time.Hour, func(p *observed.Pod, _ *moves.Decision) {
			p.Status.ContainerStatuses[0].State = observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: "CrashLoopBackOff"}}
		}, false, 0},
		{"no server is ready", time.Hour, func(_ *observed.Pod, d *moves.Decision) { d.Unreached = true }, false, 0},
		{"the operator has no image for the probe", time.Hour, func(p *observed.Pod, _ *moves.Decision) { p.Status.InitContainerStatuses = nil }, false, 0},
	} {
		pod, decision := &observed.Pod{}, moves.Decision{}
		pod.Status.InitContainerStatuses = []observed.ContainerStatus{{Name: proxy.ReachName}}
		pod.Status.ContainerStatuses = []observed.ContainerStatus{{Name: proxy.ContainerName, State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: now.Add(-test.runs)}}}}
		test.change(pod, &decision)
		got := ProxyReachesNoServer([]*observed.Pod{pod}, decision, metav1.NewTime(now))
		if (got.Problem != nil) != test.problem || got.Wait != test.wait {
			t.Errorf("%s: the problem is %+v with a wait of %s, want one: %t, and %s", test.reason, got.Problem, got.Wait, test.problem, test.wait)
		}
	}
}
