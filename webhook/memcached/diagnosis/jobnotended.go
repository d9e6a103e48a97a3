package diagnosis

import (
	"time"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
The Job of a change does not end, because another container of its pod runs on.

This check looks at the containers of the Job's pods. Kubernetes ends native sidecars, but a mesh can inject a sidecar as a normal container.
*/

// ReasonJobNotEnded is for a change whose Job has done its work in a pod that does not end.
var ReasonJobNotEnded = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "JobNotEnded", Parent: "Memcached",
	Meaning: "The Job of a move cannot complete, because another container of one of its pods is still running a minute after the container `move` completed. The warm-up takes its maximum time, and servers whose pods have not started are not copied. In `Cleaning`, the scale-down cannot start. In `AddingServers`, items stay on a spare.",
	Remedy:  "The container is usually the sidecar of a service mesh that ignores the labels and annotations of these pods. Set the label or annotation of your mesh in `spec.proxy.job`, or configure the mesh to inject native sidecars. Then delete the Job, which the operator recreates."})

// jobEndPeriod is how long other containers of a pod may take to end after that of the Job.
const jobEndPeriod = time.Minute

func jobNotEnded(in *Input) conditions.Finding {
	d := in.Decision
	if !d.HasJobOfPhase() || !isCurrent(in.Job, d) || in.Job.Complete() || in.Job.Failed() {
		return conditions.Finding{}
	}
	var first *observed.Pod
	var since time.Time
	for _, pod := range in.JobPods {
		ended := pod.Terminated(proxy.JobContainerName)
		if ended == nil || pod.RunningBeside(proxy.JobContainerName) == "" {
			continue
		}
		if at := ended.FinishedAt.Time; first == nil || at.Before(since) {
			first, since = pod, at
		}
	}
	if first == nil {
		return conditions.Finding{}
	}
	return riskAfter(jobEndPeriod, since, in.Now, ReasonJobNotEnded.Risk(
		"Container %s of pod %s is still running although container move has terminated, so Job %s cannot complete, and %s. If a service mesh injects this container, set the label or annotation that prevents this in spec.proxy.job, or use native sidecars, then delete the Job.",
		first.RunningBeside(proxy.JobContainerName), first.Name, in.Job.Name, jobEffect(d)))
}
