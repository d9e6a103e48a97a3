package diagnosis

import (
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestJobNotStarted(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	routes := moves.ParseRoutes("0-2_0-3_warming")
	const warmup = 600
	for _, test := range []struct {
		reason string
		since  time.Duration
		change func(*observed.Job, *moves.Decision)
		risk   string
		wait   time.Duration
	}{
		{"no pod has run for a minute", time.Minute, func(*observed.Job, *moves.Decision) {}, "JobNotStarted", 0},
		{"no pod has run for a minute before a decrease", time.Minute, func(j *observed.Job, p *moves.Decision) {
			p.Routes = moves.ParseRoutes("0-3_0-2_announcing")
			p.Job.Routes = p.Routes
			j.Annotations[proxy.JobForAnnotation] = p.Job.String()
		}, "JobNotStarted", 0},
		{"no pod runs yet", 20 * time.Second, func(*observed.Job, *moves.Decision) {}, "", 40 * time.Second},
		{"the clock of the control plane is ahead", -time.Hour, func(*observed.Job, *moves.Decision) {}, "", time.Minute},
		{"the Job controller has not seen the Job", time.Minute, func(j *observed.Job, _ *moves.Decision) { j.Status.StartTime = time.Time{} }, "JobNotStarted", 0},
		{"a pod runs", time.Minute, func(j *observed.Job, _ *moves.Decision) { j.Status.Ready = 1 }, "", 0},
		{"a queue has not admitted it for a minute", time.Minute, func(j *observed.Job, _ *moves.Decision) { j.Spec.Suspend = true }, "JobSuspended", 0},
		{"a queue may admit it soon", 20 * time.Second, func(j *observed.Job, _ *moves.Decision) { j.Spec.Suspend = true }, "", 40 * time.Second},
		{"a queue has suspended it after a server was copied", time.Minute, func(j *observed.Job, _ *moves.Decision) {
			j.Spec.Suspend, j.Status.Succeeded = true, 1
		}, "JobSuspended", 0},
		{"a queue has admitted it, and no pod has run since", time.Minute, func(j *observed.Job, _ *moves.Decision) {
			j.Status.Conditions = []observed.WorkloadCondition{{Type: string(batchv1.JobSuspended), Status: corev1.ConditionFalse}}
		}, "JobNotStarted", 0},
		{"a server is copied", time.Minute, func(j *observed.Job, _ *moves.Decision) { j.Status.Succeeded = 1 }, "", 0},
		{"a pod has failed, and another one follows", time.Minute, func(j *observed.Job, _ *moves.Decision) { j.Status.Failed = 1 }, "", 0},
		{"the Job has failed", time.Minute, func(j *observed.Job, _ *moves.Decision) {
			j.Status.Conditions = []observed.WorkloadCondition{{Type: string(batchv1.JobFailed), Status: corev1.ConditionTrue}}
		}, "", 0},
		{"an earlier Job of this name is being deleted, although its pods have run", time.Minute, func(j *observed.Job, _ *moves.Decision) {
			j.DeletionTimestamp, j.Status.Ready = &metav1.Time{Time: now}, 1
		}, "JobNotStarted", 0},
		{"the Job of another warm-up", time.Minute, func(j *observed.Job, _ *moves.Decision) {
			j.Annotations[proxy.JobForAnnotation], j.Status.Ready = "0-1_0-2_warming", 1
		}, "JobNotStarted", 0},
		{"no Job is desired", time.Minute, func(_ *observed.Job, p *moves.Decision) { *p = moves.Decision{Routes: routes} }, "", 0},
		{"the warm-up has ended", time.Minute, func(_ *observed.Job, p *moves.Decision) { p.Routes.Phase = moves.Closing }, "", 0},
	} {
		memcached := sample.Proxied(3)
		memcached.Spec.Proxy.Warmup.MaxSeconds = new(int32(warmup))
		memcached.Status.Proxy = &v1alpha1.ProxyStatus{LastChangeTime: new(metav1.NewTime(now.Add(-time.Hour)))} // a slow rollout
		begin := now.Add(-test.since)
		decision := moves.Decision{Routes: routes, Job: moves.DesiredJob{Routes: routes, Rollout: "5"}, Report: moves.Report{Until: new(metav1.NewTime(begin.Add(warmup * time.Second)))}}
		job := &observed.Job{Status: observed.JobStatus{StartTime: begin}}
		job.Annotations = map[string]string{proxy.JobForAnnotation: decision.Job.String()}
		test.change(job, &decision)
		got, reason := jobNotStarted(&Input{Memcached: memcached, Job: job, Decision: decision, Input: &conditions.Input{Now: metav1.NewTime(now)}}), ""
		if got.Risk != nil {
			reason = got.Risk.Reason.String()
		}
		if reason != test.risk || got.Wait != test.wait {
			t.Errorf("%s: the risk is %+v with a wait of %s, want %q and %s", test.reason, got.Risk, got.Wait, test.risk, test.wait)
		}
	}
}

// TestDesiredTimeOfAJob checks that a Job is not missed before it is desired.
func TestDesiredTimeOfAJob(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	memcached := sample.Proxied(3)
	memcached.Status.Proxy = &v1alpha1.ProxyStatus{LastChangeTime: new(metav1.NewTime(now.Add(-time.Hour)))}
	returning := moves.ParseRoutes("0-2.1_0-2_announcing")
	ready := &observed.Pod{Meta: observed.Meta{Name: memcached.Name + "-1"}, Status: observed.PodStatus{
		Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: now.Add(-20 * time.Second)}},
	}}
	in := &Input{Memcached: memcached, Decision: moves.Decision{Routes: returning, Job: moves.DesiredJob{Routes: returning}},
		Input: &conditions.Input{Now: metav1.NewTime(now), Pods: []*observed.Pod{ready}}}
	if got := jobNotStarted(in); got.Risk != nil || got.Wait != 40*time.Second {
		t.Errorf("the server to clean has been ready for 20 s: the risk is %+v with a wait of %s, want none and 40s", got.Risk, got.Wait)
	}
	copying := moves.ParseRoutes("0-2_0-3_warming")
	in.Decision = moves.Decision{Routes: copying, Job: moves.DesiredJob{Routes: copying}, Report: moves.Report{Until: new(metav1.NewTime(now.Add(59 * time.Minute)))}}
	in.Facts.Job, memcached.Spec.Proxy.Warmup.MaxSeconds = &moves.ObservedJob{Warmup: time.Hour}, new(int32(60))
	if got := jobNotStarted(in); got.Risk == nil {
		t.Error("the warm-up began a minute ago, when its longest time was an hour: no risk")
	}
}

// TestJobChecksListServersOnce holds that the servers of the Job are listed once, not for each pod: a tenant can have 10,000 pods and a Job for
// 950 servers, and the sync took 1.3 s.
func TestJobChecksListServersOnce(t *testing.T) {
	job := moves.DesiredJob{Routes: moves.ParseRoutes("0-999.5-50_0-999_announcing")}
	if job.Task() != moves.CleanAdded {
		t.Fatal("the Job does not clean added servers")
	}
	ended := observed.ContainerState{Terminated: &observed.ContainerTerminated{}}
	runs := observed.ContainerState{Running: observed.ContainerRunning{StartedAt: time.Unix(1, 0)}}
	for name, check := range map[string]func(*Input){
		"jobDesiredSince": func(in *Input) { jobDesiredSince(in) },
		"jobNotEnded":     func(in *Input) { jobNotEnded(in) },
	} {
		allocations := func(pods int) float64 {
			in := &Input{Input: &conditions.Input{}, Memcached: sample.Proxied(1000), Decision: moves.Decision{Routes: job.Routes, Job: job}, Job: &observed.Job{}}
			in.Job.Annotations = map[string]string{proxy.JobForAnnotation: job.String()}
			for i := range pods {
				in.Pods = append(in.Pods, &observed.Pod{Meta: observed.Meta{Name: fmt.Sprintf("%s-%d", in.Memcached.Name, i)}})
				in.JobPods = append(in.JobPods, jobPod(ended, runs))
			}
			return testing.AllocsPerRun(10, func() { check(in) })
		}
		if one, many := allocations(1), allocations(100); many > 2*one {
			t.Errorf("%s: %.0f allocations with 100 pods, %.0f with one", name, many, one)
		}
	}
}
