package conditions

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

// killed returns a pod whose container was killed for its memory so long ago, and is ready again.
func killed(ago time.Duration) *observed.Pod {
	end := observed.ContainerState{Terminated: &observed.ContainerTerminated{Reason: "OOMKilled", FinishedAt: metav1.NewTime(noon.Add(-ago))}}
	return podWith("a", observed.ContainerStatus{Ready: true, LastState: end})
}

// TestRecentlyKilled: a restart takes about a second, so it is reported as a risk for a while.
func TestRecentlyKilled(t *testing.T) {
	const message = "Pod a: container memcached was killed because it used more memory than its limit. Increase it."
	cases := []struct {
		reason string
		pods   []*observed.Pod
		want   string
		wait   time.Duration
	}{
		{"a minute ago", []*observed.Pod{killed(time.Minute)}, message, 9 * time.Minute},
		{"ten minutes ago, which is not recent", []*observed.Pod{killed(10 * time.Minute)}, "", 0},
		{"a container that is not ready has a problem", []*observed.Pod{podWith("a", restarted(time.Minute, killed(time.Minute).Status.ContainerStatuses[0].LastState))}, "", 0},
		{"the clock of the node is a second ahead", []*observed.Pod{killed(-time.Second)}, message, 10 * time.Minute},
		{"the clock of the node is a day ahead, so the time is ignored", []*observed.Pod{killed(-24 * time.Hour)}, "", 0},
		{"two kills: the wait is the shorter one", []*observed.Pod{killed(2 * time.Minute), killed(time.Minute)}, message, 8 * time.Minute},
	}
	for _, test := range cases {
		found, got := recentlyKilled(checked{Input: &Input{Pods: test.pods, Remedies: Remedies{"memcached": {OOMKilled: "increase it"}}, Now: noon}}), ""
		if found.Risk != nil {
			got = found.Risk.Message
		}
		if found.Problem != nil {
			t.Errorf("%s: the container runs again, so %v is a risk", test.reason, found.Problem)
		}
		if got != test.want || found.Wait != test.wait {
			t.Errorf("%s: got %q for %s, want %q for %s", test.reason, got, found.Wait, test.want, test.wait)
		}
	}
}
