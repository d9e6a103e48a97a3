package diagnosis

import (
	"time"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

/*
The Job of a change does not end, because another container of its pod runs on.

This check looks at the containers of the Job's pods. Kubernetes ends native sidecars, but a mesh can inject a sidecar as a normal container.
*/

// ReasonJobNotEnded is for a change whose Job has done its work in a pod that does not end.
var ReasonJobNotEnded = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "JobNotEnded", Parent: "Memcached",
	Meaning: "In a pod of the Job of a change with proxies, the container `copy` has ended, but another one has run on for a minute, so that neither the pod nor the Job ends. The warm-up takes its longest time, and servers whose pods have not begun are not copied; in `Cleaning`, the decrease waits; in `AddingServers`, items stay on a spare.",
	Remedy:  "The container is usually the sidecar of a mesh that injects it in spite of the labels and annotations of these pods. Set those that your mesh needs in `spec.proxy.job`, or let the mesh inject native sidecars, and delete the Job: the operator creates it again."})

// jobEndPeriod is how long other containers of a pod may take to end after copy.
const jobEndPeriod = time.Minute

func jobNotEnded(in *Input) conditions.Finding {
	d := in.Decision
	if d.Job == (moves.Job{}) || d.Routes != d.Job.Routes || !isCurrent(in.Job, d) || in.Job.Complete() || in.Job.Failed() {
		return conditions.Finding{}
	}
	var found conditions.Finding
	for _, pod := range in.JobPods {
		ended, other := pod.Terminated(proxy.JobContainerName), pod.RunningBeside(proxy.JobContainerName)
		if ended == nil || other == "" {
			continue
		}
		found = conditions.Merge(found, riskAfter(jobEndPeriod, ended.FinishedAt.Time, in.Now, ReasonJobNotEnded.Risk(
			"Container %s of pod %s runs on although copy has ended, so that Job %s does not end. %s If a mesh injects it, set in spec.proxy.job the label or annotation that prevents that, or use native sidecars, and delete the Job.",
			other, pod.Name, in.Job.Name, jobEffect(d))))
	}
	return found
}
