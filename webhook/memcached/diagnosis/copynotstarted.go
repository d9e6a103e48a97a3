package diagnosis

import (
	"time"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
The Job that copies items has no pod that runs.

This check looks at the status of the Job of the warm-up that is under way. After a minute, its image cannot be pulled, no node has room
for its pods, or a quota or an admission policy refuses them. A Job whose pods have run and failed retries, and fails itself: CopyFailed.
*/

// ReasonCopyNotStarted is for a warm-up whose Job has no pod that has run.
var ReasonCopyNotStarted = conditions.Declare(conditions.Documentation{ID: "CopyNotStarted", Parent: "Memcached", Uses: conditions.UsesOfRisk,
	Meaning: "The Job that copies items during a change with proxies has been there for a minute, and no pod of it runs. Items that no client uses before the warm-up ends are lost.",
	Remedy:  "Check the Events of the Job and of its pods: the image, room on the nodes, quotas and admission policies. The pods start once that is fixed."})

// copyStartPeriod is how long the pods of the Job may take to start. It is long enough to pull an image.
const copyStartPeriod = time.Minute

// CopyNotStarted returns a finding if no pod of the Job of a warm-up has run for longer than copyStartPeriod. The Job is nil if none is
// observed.
func CopyNotStarted(job *observed.Job, p scaling.Plan, now time.Time) conditions.Finding {
	if job == nil || job.Terminating() || p.Routes.Phase != scaling.Warming || job.Annotations[proxy.CopiedForAnnotation] != p.Copy.String() {
		return conditions.Finding{}
	}
	status := job.Status
	if status.StartTime.IsZero() || status.Ready+status.Succeeded+status.Failed > 0 || len(status.Conditions) > 0 {
		return conditions.Finding{}
	}
	if left := status.StartTime.Add(copyStartPeriod).Sub(now); left > 0 {
		return conditions.Finding{Wait: min(left, copyStartPeriod)} // the clock of the control plane may be ahead
	}
	return conditions.Finding{Risk: ReasonCopyNotStarted.Risk(
		"No pod of Job %s has run in the minute since its start. Items that no client uses before the warm-up ends are lost. Check the Events of the Job and of its pods.",
		job.Name)}
}
