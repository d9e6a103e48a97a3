package diagnosis

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

// jobPod returns a pod of the Job with a sidecar.
func jobPod(copies, sidecar observed.ContainerState) *observed.Pod {
	return &observed.Pod{Meta: observed.Meta{Name: "cache-move-0-abcde"}, Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{
		{Name: "istio-proxy", State: sidecar}, {Name: proxy.JobContainerName, State: copies},
	}}}
}

func TestJobNotEnded(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	runs := observed.ContainerState{Running: observed.ContainerRunning{StartedAt: now.Add(-time.Hour)}}
	ended := func(ago time.Duration) observed.ContainerState {
		return observed.ContainerState{Terminated: &observed.ContainerTerminated{FinishedAt: metav1.NewTime(now.Add(-ago))}}
	}
	for _, test := range []struct {
		reason string
		pods   []*observed.Pod
		done   int32
		want   string
		wait   time.Duration
	}{
		{"copy runs", []*observed.Pod{jobPod(runs, runs)}, 0, "", 0},
		{"the sidecar may end soon", []*observed.Pod{jobPod(ended(20*time.Second), runs)}, 0, "", 40 * time.Second},
		{"the sidecar runs on", []*observed.Pod{jobPod(runs, runs), jobPod(ended(time.Minute), runs)}, 0, "Container istio-proxy of pod cache-move-0-abcde", 0},
		{"another one may end soon", []*observed.Pod{jobPod(ended(20*time.Second), runs), jobPod(ended(time.Minute), runs)}, 0, "Container istio-proxy of pod cache-move-0-abcde", 0},
		{"all containers have ended", []*observed.Pod{jobPod(ended(time.Minute), ended(time.Minute))}, 0, "", 0},
		{"the Job is complete, and its pod will be deleted", []*observed.Pod{jobPod(ended(time.Minute), runs)}, 3, "", 0},
	} {
		decision := moves.Decision{Routes: moves.ParseRoutes("0-2_0-3_warming")}
		decision.Job = moves.DesiredJob{Routes: decision.Routes, Rollout: "5"}
		job := &observed.Job{Spec: observed.JobSpec{Completions: 3}, Status: observed.JobStatus{Succeeded: test.done}}
		job.Annotations = map[string]string{proxy.JobForAnnotation: decision.Job.String()}
		in := &Input{Memcached: sample.Proxied(3), Job: job, JobPods: test.pods, Decision: decision, Input: &conditions.Input{Now: metav1.NewTime(now)}}
		if !hasRun(job, test.pods) {
			t.Errorf("%s: the Job counts as one that has not started, because its pod is not ready", test.reason)
		}
		got, message := jobNotEnded(in), ""
		if got.Risk != nil {
			message = got.Risk.Message
		}
		if !strings.HasPrefix(message, test.want) || (message == "") != (test.want == "") || got.Wait != test.wait {
			t.Errorf("%s: %q with a wait of %s, want %q and %s", test.reason, message, got.Wait, test.want, test.wait)
		}
	}
}
