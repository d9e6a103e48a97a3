package diagnosis

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
The Job of a change has not been created, is suspended, or has no pod that runs.

This check looks at the desired Job, at the observed one, and at its pods. After a minute, a queue has not admitted the Job, or a quota, an
admission policy or missing RBAC permissions refuse the Job or its pods, its image cannot be pulled, or no node has room for them. A Job whose
pods have run and failed retries, and fails itself: JobFailed.
*/

// The reasons of a change whose Job has no pod that runs.
var (
	ReasonJobNotStarted = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "JobNotStarted", Parent: "Memcached",
		Meaning: "The Job of a move is still missing after a minute, or none of its pods has started. In `WarmingUp`, items that no client reads before the warm-up ends are lost. In `Cleaning`, the scale-down cannot start. In `AddingServers`, items stay on a spare, and no other server can be drained.",
		Remedy:  "If the Job does not exist, check the Events of the Memcached. Otherwise, check the Events of the Job and its pods. Likely causes are RBAC permissions, quotas, admission policies, the image, and missing resources on the nodes."})
	ReasonJobSuspended = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "JobSuspended", Parent: "Memcached",
		Meaning: "The Job of a move is suspended. The effects are those of `JobNotStarted`. A queue such as Kueue suspends Jobs until it admits them.",
		Remedy:  "Set the queue's label in `spec.proxy.job.labels`, such as `kueue.x-k8s.io/queue-name`, or exempt the namespace from the queue. Then delete the Job, which the operator recreates."})
)

// jobStartPeriod is how long the pods of the Job may take to start. It is long enough to pull an image.
const jobStartPeriod = time.Minute

// jobNotStarted returns a finding if the desired Job of this phase has not been created, is suspended, or no pod of it has run, for longer
// than jobStartPeriod.
func jobNotStarted(in *Input) conditions.Finding {
	d, job := in.Decision, in.Job
	if !d.HasJobOfPhase() {
		return conditions.Finding{}
	}
	effect := jobEffect(d)
	since, risk := jobDesiredSince(in), ReasonJobNotStarted.Risk(
		"Job %s is still missing after a minute, so %s. Check the Events of the Memcached.", proxy.JobName(in.Memcached), effect)
	switch current := isCurrent(job, d); {
	case current && (job.Complete() || job.Failed()):
		return conditions.Finding{}
	case current && job.Spec.Suspend:
		risk = ReasonJobSuspended.Risk(
			"Job %s is suspended, so %s. If a queue such as Kueue suspends it, set the queue's label in spec.proxy.job.labels and delete the Job; otherwise, set spec.suspend of the Job to false.", job.Name, effect)
	case current && hasRun(job, in.JobPods):
		return conditions.Finding{}
	case current:
		if !job.Status.StartTime.IsZero() {
			since = job.Status.StartTime
		}
		risk = ReasonJobNotStarted.Risk(
			"No pod of Job %s has started within a minute, so %s. Check the Events of the Job and its pods.", job.Name, effect)
	}
	return riskAfter(jobStartPeriod, since, in.Now, risk)
}

// jobEffect returns what happens while the Job of a phase does nothing, as a part of a sentence.
func jobEffect(d moves.Decision) string {
	switch d.Job.Task() {
	case moves.CleanAdded:
		return "items do not move until the Job has deleted old items on the new servers"
	case moves.CleanStaying:
		return "the scale-down does not start until the Job has deleted old items on the remaining servers"
	}
	return "items that no client reads before the warm-up ends are lost"
}

// isCurrent reports whether a Job is the desired one, and stays.
func isCurrent(job *observed.Job, d moves.Decision) bool {
	return job != nil && !job.Terminating() && job.Annotations[proxy.JobForAnnotation] == d.Job.String()
}

// hasRun reports whether a pod of the Job runs or has run. One whose sidecar is not ready is not ready itself.
func hasRun(job *observed.Job, pods []*observed.Pod) bool {
	return job.Status.Ready+job.Status.Succeeded+job.Status.Failed > 0 || slices.ContainsFunc(pods, func(pod *observed.Pod) bool {
		return pod.ContainerRunning(proxy.JobContainerName) || pod.Terminated(proxy.JobContainerName) != nil
	})
}

// jobDesiredSince returns the time since which the Job is desired: the beginning of the phase of the proxies, or of the warm-up, or when
// the last server to clean became ready.
func jobDesiredSince(in *Input) time.Time {
	var since time.Time
	if before := in.Memcached.Status.Proxy; before != nil && before.LastChangeTime != nil {
		since = before.LastChangeTime.Time
	}
	if until := in.Decision.Report.Until; until != nil {
		since = conditions.Later(since, until.Add(-in.longestWarmup()))
	}
	if in.Decision.Job.Task() != moves.CleanAdded {
		return since
	}
	servers := in.Decision.Job.JobServers()
	for _, pod := range in.Pods {
		if ordinal, found := children.Ordinal(in.Memcached, pod); found && slices.Contains(servers, ordinal) {
			since = conditions.Later(since, pod.ReadyChanged())
		}
	}
	return since
}

// longestWarmup returns the longest time of this warm-up: that of its Job, which spec may have changed since.
func (in *Input) longestWarmup() time.Duration {
	if job := in.Facts.Job; job != nil && job.Warmup > 0 {
		return job.Warmup
	}
	return time.Duration(*in.Memcached.Spec.Proxy.Warmup.MaxSeconds) * time.Second
}

// riskAfter returns a risk once a period has passed, and until then the time that is left.
func riskAfter(period time.Duration, since time.Time, now metav1.Time, risk *conditions.Risk) conditions.Finding {
	if left := since.Add(period).Sub(now.Time); left > 0 {
		return conditions.Finding{Wait: min(left, period)} // the clock of the control plane may be ahead
	}
	return conditions.Finding{Risk: risk}
}
