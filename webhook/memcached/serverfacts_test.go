package memcached

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestObservedServers(t *testing.T) {
	memcached := sample.Proxied(3)
	server := func(name string, ready corev1.ConditionStatus) *observed.Pod {
		return &observed.Pod{
			Meta:   observed.Meta{Name: name, Namespace: "web", Labels: children.SelectorLabels(memcached)},
			Status: observed.PodStatus{Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: ready}}},
		}
	}
	stopping := server("cache-2", corev1.ConditionTrue)
	stopping.DeletionTimestamp = &noon
	outdated := server("cache-3", corev1.ConditionTrue)
	outdated.Labels[appsv1.ControllerRevisionHashLabelKey] = "a"
	updated := server("cache-4", corev1.ConditionTrue)
	updated.Labels[appsv1.ControllerRevisionHashLabelKey] = "b"
	pods := []*observed.Pod{
		server("cache-0", corev1.ConditionTrue), server("cache-1", corev1.ConditionFalse), stopping, outdated, updated,
		server("cache-x", corev1.ConditionTrue), server("cache-b-1", corev1.ConditionTrue),
	}
	workload := &observed.Workload{Spec: observed.WorkloadSpec{Replicas: new(int32(5))}, Status: observed.WorkloadStatus{UpdateRevision: "b", ReadyReplicas: 3}}
	o := observationOf(memcached, pods, func(o *observation) { o.workload = workload })
	want := map[int32]moves.Server{
		0: {Pod: moves.Pod{Name: "cache-0"}, State: moves.ServerReady},
		1: {Pod: moves.Pod{Name: "cache-1"}},
		2: {Pod: moves.Pod{Name: "cache-2", GraceEnds: &noon.Time}, State: moves.ServerEnding},
		3: {Pod: moves.Pod{Name: "cache-3"}, State: moves.ServerReady},
		4: {Pod: moves.Pod{Name: "cache-4"}, State: moves.ServerReady, Updated: true},
	}
	if diff := cmp.Diff(want, o.serverFacts()); diff != "" {
		t.Errorf("servers by ordinal (-want +got):\n%s", diff)
	}
	workload.Generation = 9
	workload.Spec.Ordinals.Start, workload.Spec.UpdateStrategy.RollingUpdate.Partition = 3, 2
	if got := o.workloadFacts(false); got.CaughtUp || got.Ordinals != (moves.Range{First: 3, Count: 5}) || got.Partition != 2 {
		t.Errorf("got %+v, want a StatefulSet that is not observed and runs 3-7 with a partition of 2", got)
	}
}

// TestServerState checks the states of a server.
func TestServerState(t *testing.T) {
	container := func(name string, ready bool, started int) observed.ContainerStatus { // started so many minutes after noon
		return observed.ContainerStatus{Name: name, Ready: ready, State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Add(time.Duration(started) * time.Minute)}}}
	}
	waiting := func(name string) observed.ContainerStatus {
		return observed.ContainerStatus{Name: name, State: observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: "CrashLoopBackOff"}}}
	}
	conditions := func(status corev1.ConditionStatus, reason string) observed.PodConditions {
		return observed.PodConditions{{Type: corev1.PodReady, Status: status, Reason: reason, LastTransitionTime: noon.Time}}
	}
	deleted := func(graceSeconds int) func(*observed.Pod) { // with a grace period that ends so many seconds after noon
		return func(pod *observed.Pod) {
			pod.Status.Conditions, pod.DeletionTimestamp = conditions(corev1.ConditionTrue, ""), new(metav1.NewTime(noon.Add(time.Duration(graceSeconds)*time.Second)))
		}
	}
	holds := func(graceSeconds int) func(*observed.Pod) {
		return func(pod *observed.Pod) {
			deleted(graceSeconds)(pod)
			pod.Status.InitContainerStatuses = []observed.ContainerStatus{container(children.HoldName, true, -1)}
		}
	}
	lost := func(pod *observed.Pod) {
		holds(100)(pod)
		pod.Status.Conditions = conditions(corev1.ConditionFalse, "")
	}
	runs := []observed.ContainerStatus{container("memcached", true, -1)}
	cases := []struct {
		reason     string
		containers []observed.ContainerStatus
		edit       func(*observed.Pod)
		want       moves.ServerState
	}{
		{"a probe fails for a moment", []observed.ContainerStatus{container("memcached", false, -1)}, nil, moves.ServerUnready},
		{"only the exporter fails", []observed.ContainerStatus{container("memcached", true, 1), waiting("exporter")}, nil, moves.ServerUnready},
		{"memcached has restarted, and is not ready yet", []observed.ContainerStatus{container("memcached", false, 1)}, nil, moves.ServerEmpty},
		{"memcached crashes", []observed.ContainerStatus{waiting("memcached")}, nil, moves.ServerEmpty},
		{"the pod was never started", nil, nil, moves.ServerEmpty},
		{"the pod is ready", nil, func(pod *observed.Pod) { pod.Status.Conditions = conditions(corev1.ConditionTrue, "") }, moves.ServerReady},
		{"it is being deleted, and holds", runs, holds(1), moves.ServerHolding},
		{"its grace period is over: the kubelet kills it", runs, holds(0), moves.ServerEnding},
		{"it is being deleted, and does not hold", runs, deleted(100), moves.ServerEnding},
		{"it exists for almost a minute after its grace period", runs, holds(-59), moves.ServerEnding},
		{"it exists for a minute after its grace period: its node may be lost", runs, holds(-60), moves.ServerStuck},
		{"it is being deleted, and its node is lost", runs, lost, moves.ServerStuck},
	}
	for _, test := range cases {
		pod := &observed.Pod{Status: observed.PodStatus{
			Conditions:        conditions(corev1.ConditionFalse, "ContainersNotReady"),
			ContainerStatuses: test.containers,
		}}
		if test.edit != nil {
			test.edit(pod)
		}
		if got := serverState(pod, noon.Time); got != test.want {
			t.Errorf("%s: got state %d, want %d", test.reason, got, test.want)
		}
	}
}
