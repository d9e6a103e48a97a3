package object

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func podWith(name string, status ContainerStatus) *Pod {
	status.Name, status.Image = "memcached", "memcached:1"
	return &Pod{Meta: Meta{Name: name}, Status: PodStatus{ContainerStatuses: []ContainerStatus{status}}}
}

func waiting(reason, message string) ContainerState {
	return ContainerState{Waiting: &ContainerWaiting{Reason: reason, Message: message}}
}

func terminated(exitCode int32, reason string) ContainerState {
	return ContainerState{Terminated: &ContainerTerminated{ExitCode: exitCode, Reason: reason}}
}

// runs is a container that has run for so long and is not ready, after it ended once.
func runs(since time.Duration, ended ContainerState) ContainerStatus {
	return ContainerStatus{State: ContainerState{Running: ContainerRunning{StartedAt: noon.Add(-since)}}, LastState: ended}
}

var noon = metav1.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestDiagnose(t *testing.T) {
	remedies := Remedies{"memcached": {OOMKilled: "raise the limit", ExitCodes: map[int32]string{64: "a bad flag"}}}
	unschedulable := &Pod{Meta: Meta{Name: "u"}, Status: PodStatus{Conditions: []PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available"},
	}}}
	backOff := podWith("a", ContainerStatus{State: waiting("ImagePullBackOff", `Back-off pulling image "memcached:1": ErrImagePull: not found`)})
	cases := []struct {
		reason string
		pods   []*Pod
		report Rollout
		want   *Problem
	}{
		{"a pod that starts has no problem yet", []*Pod{podWith("a", ContainerStatus{State: waiting("ContainerCreating", "")})}, Rollout{}, nil},
		{"a pod that recovered has none any more", []*Pod{podWith("a", ContainerStatus{Ready: true, LastState: terminated(137, "OOMKilled")})}, Rollout{}, nil},
		{"a container that ended well is no crash", []*Pod{podWith("a", ContainerStatus{State: terminated(0, "Completed")})}, Rollout{}, nil},
		{"backing off", []*Pod{backOff}, Rollout{}, &Problem{"ImagePullBackOff", `pod a: image "memcached:1" cannot be pulled: not found`}},
		{"trying again reads the same", []*Pod{podWith("a", ContainerStatus{State: waiting("ErrImagePull", "not found")})}, Rollout{},
			&Problem{"ImagePullBackOff", `pod a: image "memcached:1" cannot be pulled: not found`}},
		{"a registry that is away", []*Pod{podWith("a", ContainerStatus{State: waiting("RegistryUnavailable", "no route")})}, Rollout{},
			&Problem{"ImagePullBackOff", `pod a: image "memcached:1" cannot be pulled: no route`}},
		{"while it backs off it reads the same", []*Pod{podWith("a", ContainerStatus{State: waiting("ImagePullBackOff", `Back-off pulling image "memcached:1": RegistryUnavailable: no route`)})}, Rollout{},
			&Problem{"ImagePullBackOff", `pod a: image "memcached:1" cannot be pulled: no route`}},
		{"killed for its memory", []*Pod{podWith("a", ContainerStatus{State: waiting("CrashLoopBackOff", "back-off 20s"), LastState: terminated(137, "OOMKilled")})}, Rollout{},
			&Problem{"OOMKilled", "pod a: container memcached was killed for using more memory than its limit: raise the limit"}},
		{"a crash that can be explained", []*Pod{podWith("a", ContainerStatus{State: waiting("CrashLoopBackOff", "back-off 20s"), LastState: terminated(64, "Error")})}, Rollout{},
			&Problem{"CrashLoopBackOff", "pod a: container memcached keeps ending with exit code 64: a bad flag"}},
		{"between two crashes it reads the same", []*Pod{podWith("a", ContainerStatus{LastState: terminated(64, "Error")})}, Rollout{},
			&Problem{"CrashLoopBackOff", "pod a: container memcached keeps ending with exit code 64: a bad flag"}},
		{"it runs again, and may soon crash again", []*Pod{podWith("a", runs(time.Minute, terminated(64, "Error")))}, Rollout{},
			&Problem{"CrashLoopBackOff", "pod a: container memcached keeps ending with exit code 64: a bad flag"}},
		{"an end of long ago does not explain what is wrong now", []*Pod{podWith("a", runs(24*time.Hour, terminated(255, "Unknown")))}, Rollout{}, nil},
		{"nor does a kill of long ago", []*Pod{podWith("a", runs(10*time.Minute, terminated(137, "OOMKilled")))}, Rollout{}, nil},
		{"a crash without an explanation", []*Pod{podWith("a", ContainerStatus{State: terminated(3, "Error")})}, Rollout{},
			&Problem{"CrashLoopBackOff", "pod a: container memcached keeps ending with exit code 3"}},
		{"an exit code means what the container's program means by it", []*Pod{{Meta: Meta{Name: "a"}, Status: PodStatus{ContainerStatuses: []ContainerStatus{{Name: "exporter", State: terminated(64, "Error")}}}}}, Rollout{},
			&Problem{"CrashLoopBackOff", "pod a: container exporter keeps ending with exit code 64"}},
		{"what the program said last", []*Pod{podWith("a", ContainerStatus{LastState: ContainerState{Terminated: &ContainerTerminated{ExitCode: 64, Message: "0x7f: trace\nno such flag\n"}}})}, Rollout{},
			&Problem{"CrashLoopBackOff", `pod a: container memcached keeps ending with exit code 64 and says "no such flag": a bad flag`}},
		{"what the kubelet says of a bad configuration", []*Pod{podWith("a", ContainerStatus{State: waiting("CreateContainerConfigError", "secret not found")})}, Rollout{},
			&Problem{"CreateContainerConfigError", "pod a: container memcached does not start: secret not found"}},
		{"no node", []*Pod{unschedulable}, Rollout{}, &Problem{"Unschedulable", "pod u: no node takes it: 0/3 nodes are available"}},
		{"the first pod speaks for all", []*Pod{backOff, podWith("b", backOff.Status.ContainerStatuses[0]), unschedulable}, Rollout{},
			&Problem{"ImagePullBackOff", `pod a: image "memcached:1" cannot be pulled: not found (likewise 1 more)`}},
		{"a refusal outlasts a deadline", nil, Rollout{failures: []WorkloadCondition{{Type: "Progressing", Message: "timed out"}, {Type: "ReplicaFailure", Message: "exceeded quota"}}},
			&Problem{"ReplicaFailure", "pods cannot be created: exceeded quota"}},
		{"a stuck rollout without a cause in the pods", nil, Rollout{failures: []WorkloadCondition{{Type: "Progressing", Message: "timed out"}}},
			&Problem{"ProgressDeadlineExceeded", "the rollout is stuck: timed out"}},
	}
	for _, test := range cases {
		if diff := cmp.Diff(test.want, Diagnose(test.pods, test.report, remedies, noon)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
