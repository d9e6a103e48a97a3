package diagnosis

import (
	"time"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

/*
The Job of a change has not been created, or has no pod that runs.

This check looks at the desired Job, and at the status of the observed one. After a minute, a quota, an admission policy or missing RBAC
permissions refuse the Job or its pods, its image cannot be pulled, or no node has room for them. A Job whose pods have run and failed
retries, and fails itself: JobFailed.
*/

// ReasonJobNotStarted is for a change whose Job has no pod that has run.
var ReasonJobNotStarted = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "JobNotStarted", Parent: "Memcached",
	Meaning: "For a minute, the Job of a change with proxies could not be created, or no pod of it runs. In `WarmingUp`, items that no client uses before the warm-up ends are lost. In `Cleaning`, the decrease waits; in `AddingServers`, items stay on a spare, and no other server can be drained.",
	Remedy:  "If there is no such Job, check the Events of the Memcached; otherwise, those of the Job and of its pods: RBAC permissions, quotas, admission policies, the image, and room on the nodes. The pods start once that is fixed."})

// jobStartPeriod is how long the pods of the Job may take to start. It is long enough to pull an image.
const jobStartPeriod = time.Minute

// jobNotStarted returns a finding if the desired Job of this phase has not been created, or no pod of it has run, for longer than
// jobStartPeriod.
func jobNotStarted(in *Input) conditions.Finding {
	d, job := in.Decision, in.Job
	if d.Job == (moves.Job{}) || d.Routes != d.Job.Routes {
		return conditions.Finding{}
	}
	effect := "Items that no client uses before the warm-up ends are lost."
	switch d.Job.Task() {
	case moves.CleanAdded:
		effect = "Items move when it has cleaned the servers that they move to."
	case moves.CleanStaying:
		effect = "The decrease begins when it has cleaned the remaining servers."
	}
	since, risk := jobDesiredSince(in.Memcached, d), ReasonJobNotStarted.Risk(
		"Job %s could not be created for a minute. %s Check the Events of the Memcached.", proxy.JobName(in.Memcached), effect)
	if job != nil && !job.Terminating() && job.Annotations[proxy.JobForAnnotation] == d.Job.String() {
		status := job.Status
		if status.Ready+status.Succeeded+status.Failed > 0 || len(status.Conditions) > 0 {
			return conditions.Finding{}
		}
		if !status.StartTime.IsZero() {
			since = status.StartTime
		}
		risk = ReasonJobNotStarted.Risk(
			"No pod of Job %s has run in the minute since its start. %s Check the Events of the Job and of its pods.", job.Name, effect)
	}
	if left := since.Add(jobStartPeriod).Sub(in.Now.Time); left > 0 {
		return conditions.Finding{Wait: min(left, jobStartPeriod)} // the clock of the control plane may be ahead
	}
	return conditions.Finding{Risk: risk}
}

// jobDesiredSince returns the time since which the Job is desired: the beginning of the phase of the proxies, or of the warm-up.
func jobDesiredSince(memcached *v1alpha1.Memcached, d moves.Decision) time.Time {
	var since time.Time
	if before := memcached.Status.Proxy; before != nil && before.LastChangeTime != nil {
		since = before.LastChangeTime.Time
	}
	if d.Report.Until != nil {
		if begun := d.Report.Until.Add(-time.Duration(*memcached.Spec.Proxy.Warmup.MaxSeconds) * time.Second); begun.After(since) {
			since = begun
		}
	}
	return since
}
