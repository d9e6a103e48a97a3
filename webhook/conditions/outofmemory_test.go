package conditions

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/observed"
)

// killed returns a pod whose container was killed for its memory so long ago, and is ready again.
func killed(ago time.Duration) *observed.Pod {
	end := observed.ContainerState{Terminated: &observed.ContainerTerminated{Reason: "OOMKilled", FinishedAt: metav1.NewTime(noon.Add(-ago))}}
	return podWith("a", observed.ContainerStatus{Ready: true, LastState: end})
}

func sidecarKilled() *observed.Pod {
	pod := killed(time.Minute)
	pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses = pod.Status.ContainerStatuses, nil
	return pod
}

// TestOneText: a text for each of 140,000 containers that a tenant lets fail would take two seconds.
func TestOneText(t *testing.T) {
	allocations := func(containers int) float64 {
		pod := killed(time.Minute)
		statuses := pod.Status.ContainerStatuses
		statuses[0].State = statuses[0].LastState
		pod.Status.ContainerStatuses = slices.Repeat(statuses, containers)
		c := checked{Input: &Input{Pods: []*observed.Pod{pod}, Now: noon}}
		return testing.AllocsPerRun(10, func() {
			if failingPods(c).Problem == nil || recentlyKilled(c).Risk == nil {
				t.Error("the containers have no problem and no risk")
			}
		})
	}
	if one, many := allocations(1), allocations(100); many > 2*one { // the race detector empties the pools of fmt at random
		t.Errorf("%g allocations for 100 containers, %g for one", many, one)
	}
}

// TestRecentlyKilled: a restart takes about a second, so it is reported as a risk for a while.
func TestRecentlyKilled(t *testing.T) {
	const message = "Pod a: container memcached was killed because it exceeded its memory limit. Increase it."
	cases := []struct {
		reason string
		pods   []*observed.Pod
		want   string
		wait   time.Duration
	}{
		{"a minute ago", []*observed.Pod{killed(time.Minute)}, message, 9 * time.Minute},
		{"a sidecar, which is an init container", []*observed.Pod{sidecarKilled()}, message, 9 * time.Minute},
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

// TestOutOfMemoryLimit: others resize pods, or change workloads, and the limit that counted is that of the pod.
func TestOutOfMemoryLimit(t *testing.T) {
	const start = "container memcached was killed because it exceeded its memory limit"
	cases := []struct {
		reason, pod, workload string
		updated               int32
		want                  string
	}{
		{"the pod has the limit of the operator", "123Mi", "123Mi", 3, ". Increase it."},
		{"the kubelet does not report the limit", "", "123Mi", 3, ". Increase it."},
		{"an autoscaler has resized the pod", "80Mi", "123Mi", 3, " of 80Mi, but Deployment x sets 123Mi. " +
			"A VerticalPodAutoscaler or another client has resized the pod, so exclude the pods from resizing, then delete this pod."},
		{"a policy has changed the workload", "80Mi", "80Mi", 3, " of 80Mi, but the desired limit is 123Mi. An admission webhook or another client has changed Deployment x, " +
			"so exclude it from the policy that changes it, or decrease the memory for items."},
		{"spec has another limit since, and the pod is not replaced yet", "80Mi", "123Mi", 2, " of 80Mi, but the desired limit is 123Mi."},
	}
	for _, test := range cases {
		o := settled(t)
		o.Workload.Status.UpdatedReplicas = test.updated
		template := observed.TemplateContainer{Name: "memcached"}
		template.Resources.Limits.Memory = test.workload
		o.Workload.Spec.Template.Spec.Containers = []observed.TemplateContainer{template}
		o.Rollout = RolloutOf(o.Workload, 3, testParent, o.Pods)
		desired := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{Kind: "Deployment"}}
		desired.Spec.Template.Spec.Containers = []corev1.Container{{Name: "memcached", Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("123Mi")},
		}}}
		o.Children, o.Remedies = []runtime.Object{desired}, Remedies{"memcached": {OOMKilled: "increase it"}}
		status := observed.ContainerStatus{Name: "memcached"}
		status.Resources.Limits.Memory = test.pod
		if got := outOfMemory(o.Input, &status, nil).Message; got != start+test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, start+test.want)
		}
	}
}
