package conditions

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

func podWith(name string, status observed.ContainerStatus) *observed.Pod {
	status.Name, status.Image = "memcached", "memcached:1"
	return &observed.Pod{Meta: observed.Meta{Name: name}, Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{status}}}
}

func waiting(reason, message string) observed.ContainerState {
	return observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: reason, Message: message}}
}

func terminated(exitCode int32, reason string) observed.ContainerState {
	return observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: exitCode, Reason: reason}}
}

// runs is a container that has run for so long and is not ready, after it ended once.
func runs(since time.Duration, ended observed.ContainerState) observed.ContainerStatus {
	return observed.ContainerStatus{State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Add(-since)}}, LastState: ended}
}

var noon = metav1.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestDiagnose(t *testing.T) {
	remedies := Remedies{"memcached": {OOMKilled: "increase the limit", ExitCodes: map[int32]string{64: "a bad flag"}}}
	unschedulable := &observed.Pod{Meta: observed.Meta{Name: "u"}, Status: observed.PodStatus{Conditions: []observed.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available"},
	}}}
	backOff := podWith("a", observed.ContainerStatus{State: waiting("ImagePullBackOff", `Back-off pulling image "memcached:1": ErrImagePull: not found`)})
	cases := []struct {
		reason string
		pods   []*observed.Pod
		want   *Problem
	}{
		{"a pod that starts has no problem yet", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waiting("ContainerCreating", "")})}, nil},
		{"a pod that recovered has none any more", []*observed.Pod{podWith("a", observed.ContainerStatus{Ready: true, LastState: terminated(137, "OOMKilled")})}, nil},
		{"a container that ended well is no crash", []*observed.Pod{podWith("a", observed.ContainerStatus{State: terminated(0, "Completed")})}, nil},
		{"backing off", []*observed.Pod{backOff}, &Problem{Reason: "ImagePullBackOff", Message: `pod a: image "memcached:1" cannot be pulled: not found`}},
		{"trying again reads the same", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waiting("ErrImagePull", "not found")})},
			&Problem{Reason: "ImagePullBackOff", Message: `pod a: image "memcached:1" cannot be pulled: not found`}},
		{"a registry that is away", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waiting("RegistryUnavailable", "no route")})},
			&Problem{Reason: "ImagePullBackOff", Message: `pod a: image "memcached:1" cannot be pulled: no route`}},
		{"while it backs off it reads the same", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waiting("ImagePullBackOff", `Back-off pulling image "memcached:1": RegistryUnavailable: no route`)})},
			&Problem{Reason: "ImagePullBackOff", Message: `pod a: image "memcached:1" cannot be pulled: no route`}},
		{"killed for its memory", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waiting("CrashLoopBackOff", "back-off 20s"), LastState: terminated(137, "OOMKilled")})},
			&Problem{Reason: "OOMKilled", Message: "pod a: container memcached was killed because it used more memory than its limit: increase the limit"}},
		{"a crash that can be explained", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waiting("CrashLoopBackOff", "back-off 20s"), LastState: terminated(64, "Error")})},
			&Problem{Reason: "CrashLoopBackOff", Message: "pod a: container memcached exits again and again with exit code 64: a bad flag"}},
		{"between two crashes it reads the same", []*observed.Pod{podWith("a", observed.ContainerStatus{LastState: terminated(64, "Error")})},
			&Problem{Reason: "CrashLoopBackOff", Message: "pod a: container memcached exits again and again with exit code 64: a bad flag"}},
		{"it runs again, and may soon crash again", []*observed.Pod{podWith("a", runs(time.Minute, terminated(64, "Error")))},
			&Problem{Reason: "CrashLoopBackOff", Message: "pod a: container memcached exits again and again with exit code 64: a bad flag"}},
		{"a time in the future does not say when it started", []*observed.Pod{podWith("a", runs(-24*time.Hour, terminated(64, "Error")))}, nil},
		{"an end of long ago does not explain what is wrong now", []*observed.Pod{podWith("a", runs(24*time.Hour, terminated(255, "Unknown")))}, nil},
		{"nor does a kill of long ago", []*observed.Pod{podWith("a", runs(10*time.Minute, terminated(137, "OOMKilled")))}, nil},
		{"a crash without an explanation", []*observed.Pod{podWith("a", observed.ContainerStatus{State: terminated(3, "Error")})},
			&Problem{Reason: "CrashLoopBackOff", Message: "pod a: container memcached exits again and again with exit code 3"}},
		{"an exit code means what the container's program means by it", []*observed.Pod{{Meta: observed.Meta{Name: "a"}, Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{{Name: "exporter", State: terminated(64, "Error")}}}}},
			&Problem{Reason: "CrashLoopBackOff", Message: "pod a: container exporter exits again and again with exit code 64"}},
		{"what the program said last", []*observed.Pod{podWith("a", observed.ContainerStatus{LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: 64, Message: "0x7f: trace\nno such flag\n"}}})},
			&Problem{Reason: "CrashLoopBackOff", Message: `pod a: container memcached exits again and again with exit code 64 and logs "no such flag": a bad flag`}},
		{"what the kubelet says of a bad configuration", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waiting("CreateContainerConfigError", "secret not found")})},
			&Problem{Reason: "CreateContainerConfigError", Message: "pod a: container memcached does not start: secret not found"}},
		{"no node", []*observed.Pod{unschedulable}, &Problem{Reason: "Unschedulable", Message: "pod u: no node accepts it: 0/3 nodes are available"}},
		{"the first pod speaks for all", []*observed.Pod{backOff, podWith("b", backOff.Status.ContainerStatuses[0]), unschedulable},
			&Problem{Reason: "ImagePullBackOff", Message: `pod a: image "memcached:1" cannot be pulled: not found (1 more pods have the same problem)`}},
	}
	for _, test := range cases {
		found := diagnosePods(test.pods, remedies, noon)
		if diff := cmp.Diff(test.want, found.Problem); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if expires := strings.Contains(test.reason, "runs again"); expires != (found.Wait > 0) {
			t.Errorf("%s: diagnosed again after %s", test.reason, found.Wait)
		}
	}
}

// TestRecentlyKilled: a restart takes a second and leaves no trace but an empty cache, so it is reported for a while.
func TestRecentlyKilled(t *testing.T) {
	killed := func(ago time.Duration) *observed.Pod {
		end := observed.ContainerState{Terminated: &observed.ContainerTerminated{Reason: ReasonOOMKilled, FinishedAt: metav1.NewTime(noon.Add(-ago))}}
		return podWith("a", observed.ContainerStatus{Ready: true, LastState: end})
	}
	const message = "pod a: container memcached was killed because it used more memory than its limit: increase it"
	cases := []struct {
		reason string
		pods   []*observed.Pod
		want   string
		wait   time.Duration
	}{
		{"a minute ago", []*observed.Pod{killed(time.Minute)}, message, 9 * time.Minute},
		{"ten minutes ago: the container has run well since", []*observed.Pod{killed(10 * time.Minute)}, "", 0},
		{"the clock of the node is a second ahead", []*observed.Pod{killed(-time.Second)}, message, 10 * time.Minute},
		{"the clock of the node is a day ahead, and the time says nothing", []*observed.Pod{killed(-24 * time.Hour)}, "", 0},
		{"the first to expire", []*observed.Pod{killed(2 * time.Minute), killed(time.Minute)}, message, 8 * time.Minute},
	}
	for _, test := range cases {
		found, got := recentlyKilled(test.pods, Remedies{"memcached": {OOMKilled: "increase it"}}, noon), ""
		if found.Problem != nil {
			got = found.Problem.Message
		}
		if got != test.want || found.Wait != test.wait {
			t.Errorf("%s: got %q for %s, want %q for %s", test.reason, got, found.Wait, test.want, test.wait)
		}
	}
}

func TestSoonest(t *testing.T) {
	cases := []struct{ a, b, want time.Duration }{{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {3, 5, 3}, {5, 3, 3}}
	for _, test := range cases {
		if got := Soonest(test.a, test.b); got != test.want {
			t.Errorf("of %d and %d it is %d, want %d: 0 is no time to wait", test.a, test.b, got, test.want)
		}
	}
}
