package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/resources"
)

/*
A rollout looks at the numbers of replicas in the status of the workload, at its generation, and at the readiness of the pods.
*/

// The reasons of replicas that do not match the desired ones yet.
var (
	ReasonRollingOut = NewReason(SeverityProgress, Documentation{ID: "RollingOut",
		Meaning: "The workload does not have the desired pods yet, or not all of them are updated and ready. The message shows the numbers. For the Deployment of the proxies, it starts with `Proxies:`.",
		Remedy:  "If this state persists, `Degraded` shows the cause."})
	ReasonMinReadySeconds = NewReason(SeverityProgress, Documentation{ID: "MinReadySeconds",
		Meaning: "All pods are updated and ready, but some have not been ready for `spec.rollout.minReadySeconds` (default 30) yet. They serve clients, and `Available` is True."})
)

// Rollout compares the replicas that a parent desires with those that its workload and its pods report.
type Rollout struct {
	Desired   int32
	Replicas  int32
	Updated   int32
	Ready     int32
	Available int32
	// Stuck is the number of replicas that do not end, and that others replace: they need not be ready.
	Stuck int32
	// Current reports whether the workload's status describes the parent's current spec.
	Current bool
	// exists reports whether there is a workload.
	exists bool
	// readyPods is the number of ready pods. The number in the workload's status may lag behind.
	readyPods int32
}

// RolloutOf returns the rollout of a parent's workload, which may be nil, and of its pods.
func RolloutOf(workload *observed.Workload, desired int32, parent metav1.Object, pods []*observed.Pod) Rollout {
	rollout := Rollout{Desired: desired}
	for _, pod := range pods {
		if pod.Ready() {
			rollout.readyPods++
		}
	}
	if workload == nil {
		return rollout
	}
	status := workload.Status
	rollout.exists = true
	rollout.Replicas, rollout.Updated = status.Replicas, status.UpdatedReplicas
	rollout.Ready, rollout.Available = status.ReadyReplicas, status.AvailableReplicas
	const annotation = resources.ParentGenerationAnnotation
	rollout.Current = workload.Annotations[annotation] == resources.ParentGeneration(parent)[annotation] &&
		workload.Spec.Replicas != nil && *workload.Spec.Replicas == desired &&
		workload.CaughtUp() &&
		!workload.Terminating()
	return rollout
}

// Settled reports whether exactly the desired replicas run, and all of them are updated, ready and available.
func (r Rollout) Settled() bool {
	serve := r.replicasToServe()
	return r.Current && r.Replicas == r.Desired && r.Updated == serve && r.Ready == serve && r.Available == serve &&
		r.readyPods >= serve
}

// replicasToServe returns the number of replicas that have to be ready.
func (r Rollout) replicasToServe() int32 { return r.Desired - r.Stuck }

// AllUpdated reports whether every pod has the current pod template.
func (r Rollout) AllUpdated() bool { return r.Current && r.Updated == r.Replicas }

// waitsForMinReadySeconds reports whether all replicas are updated and ready, but some for less than minReadySeconds.
func (r Rollout) waitsForMinReadySeconds() bool {
	serve := r.replicasToServe()
	return r.Current && r.Updated == serve && r.Ready == serve && r.Available < serve && r.readyPods >= serve
}

// progress returns what a rollout that is not settled waits for.
func (r Rollout) progress() *Progress {
	switch {
	case !r.Current:
		return ReasonRollingOut.Progress("The latest change has not been rolled out yet. Pods: %d desired, %d ready.", r.Desired, r.Ready)
	case r.waitsForMinReadySeconds():
		// The number of available replicas is left out: each replica that becomes available would be a write of the status.
		return ReasonMinReadySeconds.Progress("%d of %d pods are updated and ready, but some have not been ready for minReadySeconds yet.", r.Ready, r.Desired)
	}
	return ReasonRollingOut.Progress("Pods: %d desired, %d existing, %d updated, %d ready.",
		r.Desired, r.Replicas, r.Updated, min(r.Ready, r.readyPods))
}
