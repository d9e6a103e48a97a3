package diagnosis

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

/*
The Job of a move has failed.

This check looks at the Job of the phase that is under way. A warm-up goes on until its longest time, and items that no client uses until
then are lost. A decrease does not begin before the remaining servers are clean, because items of earlier changes would come back.
*/

// ReasonJobFailed is for a change whose Job has failed.
var ReasonJobFailed = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "JobFailed", Parent: "Memcached",
	Meaning: "The Job of a move has failed. In `WarmingUp`, items that no client reads before the warm-up ends are lost. In `Cleaning`, the scale-down cannot start. In `AddingServers`, items stay on a spare, and no other server can be drained.",
	Remedy:  "Check the logs of its pods, then delete the Job. The operator [recreates it](proxies.md#limit-the-duration-of-the-warm-up). Do not set `spec.proxy.warmup.enabled: false` to remove the Job, because that loses the items that have not moved."})

func jobFailed(in *Input) conditions.Finding {
	d, observed := in.Decision, in.Facts.Job
	if !d.HasJobOfPhase() || observed == nil || !observed.Failed {
		return conditions.Finding{}
	}
	name := proxy.JobName(in.Memcached)
	switch d.Job.Task() {
	case moves.CleanAdded:
		return conditions.Finding{Risk: ReasonJobFailed.Risk(
			"Job %s could not delete old items on the destination servers, so the move cannot continue and no other server can be drained. Check the logs of its pods, then delete the Job so that the operator recreates it.", name)}
	case moves.CleanStaying:
		return conditions.Finding{Risk: ReasonJobFailed.Risk(
			"Job %s could not delete old items on the remaining servers, so the scale-down cannot start. Check the logs of its pods, then delete the Job so that the operator recreates it, or set spec.proxy.warmup.enabled to false, which loses the items of the removed servers and may make deleted items reappear.", name)}
	}
	return conditions.Finding{Risk: ReasonJobFailed.Risk(
		"Job %s has failed, so items that no client reads before the warm-up ends are lost. Check the logs of its pods, then delete the Job so that the operator recreates it.", name)}
}
