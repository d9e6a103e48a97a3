package diagnosis

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestCopyNotStarted(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	routes := scaling.ParseRoutes("3-4-warming-1800000000")
	for _, test := range []struct {
		reason string
		since  time.Duration
		change func(*observed.Job, *scaling.Plan)
		risk   bool
		wait   time.Duration
	}{
		{"no pod has run for a minute", time.Minute, func(*observed.Job, *scaling.Plan) {}, true, 0},
		{"no pod runs yet", 20 * time.Second, func(*observed.Job, *scaling.Plan) {}, false, 40 * time.Second},
		{"the clock of the control plane is ahead", -time.Hour, func(*observed.Job, *scaling.Plan) {}, false, time.Minute},
		{"the Job controller has not seen the Job", time.Minute, func(j *observed.Job, _ *scaling.Plan) { j.Status.StartTime = time.Time{} }, false, 0},
		{"a pod runs", time.Minute, func(j *observed.Job, _ *scaling.Plan) { j.Status.Ready = 1 }, false, 0},
		{"a server is copied", time.Minute, func(j *observed.Job, _ *scaling.Plan) { j.Status.Succeeded = 1 }, false, 0},
		{"a pod has failed, and another one follows", time.Minute, func(j *observed.Job, _ *scaling.Plan) { j.Status.Failed = 1 }, false, 0},
		{"the Job has failed", time.Minute, func(j *observed.Job, _ *scaling.Plan) {
			j.Status.Conditions = []observed.WorkloadCondition{{Type: string(batchv1.JobFailed), Status: corev1.ConditionTrue}}
		}, false, 0},
		{"the Job is being deleted", time.Minute, func(j *observed.Job, _ *scaling.Plan) { j.DeletionTimestamp = &metav1.Time{Time: now} }, false, 0},
		{"the Job of another warm-up", time.Minute, func(_ *observed.Job, p *scaling.Plan) { p.Copy.MarksEnd++ }, false, 0},
		{"the warm-up has ended", time.Minute, func(_ *observed.Job, p *scaling.Plan) { p.Routes.Phase = scaling.Closing }, false, 0},
	} {
		job, plan := &observed.Job{Status: observed.JobStatus{StartTime: now.Add(-test.since)}}, scaling.Plan{Routes: routes, Copy: routes}
		job.Annotations = map[string]string{proxy.CopiedForAnnotation: routes.String()}
		test.change(job, &plan)
		if got := CopyNotStarted(job, plan, now); (got.Risk != nil) != test.risk || got.Wait != test.wait {
			t.Errorf("%s: the risk is %+v with a wait of %s, want one: %t, and %s", test.reason, got.Risk, got.Wait, test.risk, test.wait)
		}
	}
	if got := CopyNotStarted(nil, scaling.Plan{}, now); got.Risk != nil {
		t.Errorf("no Job: the risk is %+v", got.Risk)
	}
}
