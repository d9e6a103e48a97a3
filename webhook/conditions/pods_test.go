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

// plain is a problem with the reason that users see.
type plain struct{ Reason, Message string }

func plainOf(problem *Problem) *plain {
	if problem == nil {
		return nil
	}
	return &plain{problem.Reason.String(), problem.text()}
}

func podWith(name string, status observed.ContainerStatus) *observed.Pod {
	status.Name, status.Image = "memcached", "memcached:1"
	return &observed.Pod{Meta: observed.Meta{Name: name}, Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{status}}}
}

func waitingState(reason, message string) observed.ContainerState {
	return observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: reason, Message: observed.Message(message)}}
}

func terminated(exitCode int32, reason string) observed.ContainerState {
	return observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: exitCode, Reason: reason}}
}

// restarted returns a container that has run since its restart and is not ready.
func restarted(since time.Duration, ended observed.ContainerState) observed.ContainerStatus {
	return observed.ContainerStatus{State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Add(-since)}}, LastState: ended}
}

var noon = metav1.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestDiagnose(t *testing.T) {
	remedies := Remedies{"memcached": {OOMKilled: "increase the limit", ExitCodes: map[int32]string{64: "a bad flag"}}}
	unschedulable := &observed.Pod{Meta: observed.Meta{Name: "u"}, Status: observed.PodStatus{Conditions: []observed.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available"},
	}}}
	backOff := podWith("a", observed.ContainerStatus{State: waitingState("ImagePullBackOff", `Back-off pulling image "memcached:1": ErrImagePull: not found`)})
	cases := []struct {
		reason string
		pods   []*observed.Pod
		want   *plain
	}{
		{"a pod that starts has no problem", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waitingState("ContainerCreating", "")})}, nil},
		{"a pod that recovered has no problem", []*observed.Pod{podWith("a", observed.ContainerStatus{Ready: true, LastState: terminated(137, "OOMKilled")})}, nil},
		{"a container that completed has not crashed", []*observed.Pod{podWith("a", observed.ContainerStatus{State: terminated(0, "Completed")})}, nil},
		{"a pull in back-off", []*observed.Pod{backOff}, &plain{Reason: "ImagePullBackOff", Message: `Pod a: image "memcached:1" cannot be pulled: not found`}},
		{"a pull that is retried has the same message", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waitingState("ErrImagePull", "not found")})},
			&plain{Reason: "ImagePullBackOff", Message: `Pod a: image "memcached:1" cannot be pulled: not found`}},
		{"an unavailable registry", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waitingState("RegistryUnavailable", "no route")})},
			&plain{Reason: "ImagePullBackOff", Message: `Pod a: image "memcached:1" cannot be pulled: no route`}},
		{"an unavailable registry in back-off has the same message", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waitingState("ImagePullBackOff", `Back-off pulling image "memcached:1": RegistryUnavailable: no route`)})},
			&plain{Reason: "ImagePullBackOff", Message: `Pod a: image "memcached:1" cannot be pulled: no route`}},
		{"a container that was killed for its memory", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waitingState("CrashLoopBackOff", "back-off 20s"), LastState: terminated(137, "OOMKilled")})},
			&plain{Reason: "OOMKilled", Message: "Pod a: container memcached was killed because it exceeded its memory limit. Increase the limit."}},
		{"a crash with a known exit code", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waitingState("CrashLoopBackOff", "back-off 20s"), LastState: terminated(64, "Error")})},
			&plain{Reason: "CrashLoopBackOff", Message: "Pod a: container memcached exits repeatedly with exit code 64. A bad flag."}},
		{"between two crashes the message is the same", []*observed.Pod{podWith("a", observed.ContainerStatus{LastState: terminated(64, "Error")})},
			&plain{Reason: "CrashLoopBackOff", Message: "Pod a: container memcached exits repeatedly with exit code 64. A bad flag."}},
		{"a container that runs again after a crash", []*observed.Pod{podWith("a", restarted(time.Minute, terminated(64, "Error")))},
			&plain{Reason: "CrashLoopBackOff", Message: "Pod a: container memcached exits repeatedly with exit code 64. A bad flag."}},
		{"a start time in the future is ignored", []*observed.Pod{podWith("a", restarted(-24*time.Hour, terminated(64, "Error")))}, nil},
		{"an old termination is ignored", []*observed.Pod{podWith("a", restarted(24*time.Hour, terminated(255, "Unknown")))}, nil},
		{"an old kill is ignored", []*observed.Pod{podWith("a", restarted(10*time.Minute, terminated(137, "OOMKilled")))}, nil},
		{"a crash with an unknown exit code", []*observed.Pod{podWith("a", observed.ContainerStatus{State: terminated(3, "Error")})},
			&plain{Reason: "CrashLoopBackOff", Message: "Pod a: container memcached exits repeatedly with exit code 3."}},
		{"exit codes are looked up by container", []*observed.Pod{{Meta: observed.Meta{Name: "a"}, Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{{Name: "exporter", State: terminated(64, "Error")}}}}},
			&plain{Reason: "CrashLoopBackOff", Message: "Pod a: container exporter exits repeatedly with exit code 64."}},
		{"the last line of the log", []*observed.Pod{podWith("a", observed.ContainerStatus{LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: 64, Message: "0x7f: trace\nno such flag\n"}}})},
			&plain{Reason: "CrashLoopBackOff", Message: `Pod a: container memcached exits repeatedly with exit code 64 and logs "no such flag". A bad flag.`}},
		{"a bad configuration that the kubelet reports", []*observed.Pod{podWith("a", observed.ContainerStatus{State: waitingState("CreateContainerConfigError", "secret not found")})},
			&plain{Reason: "CreateContainerConfigError", Message: "Pod a: container memcached does not start: secret not found"}},
		{"no node for the pod", []*observed.Pod{unschedulable}, &plain{Reason: "Unschedulable", Message: "Pod u: the scheduler cannot find a node: 0/3 nodes are available"}},
		{"several pods with the same problem", []*observed.Pod{backOff, podWith("b", backOff.Status.ContainerStatuses[0]), unschedulable},
			&plain{Reason: "ImagePullBackOff", Message: `Pod a: image "memcached:1" cannot be pulled: not found (Other pods have the same problem.)`}},
	}
	for _, test := range cases {
		found := failingPods(checked{Input: &Input{Pods: test.pods, Remedies: remedies, Now: noon}})
		if diff := cmp.Diff(test.want, plainOf(found.Problem)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if expires := strings.Contains(test.reason, "runs again"); expires != (found.Wait > 0) {
			t.Errorf("%s: diagnosed again after %s", test.reason, found.Wait)
		}
	}
}
