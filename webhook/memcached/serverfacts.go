package memcached

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// workloadFacts returns the facts of the workload of the servers; nil if none is observed.
func (o *observation) workloadFacts(applied bool) *moves.Workload {
	w := o.workload
	if w == nil {
		return nil
	}
	return &moves.Workload{
		Revision:        v1alpha1.Revision{Created: metav1.NewTime(w.CreationTimestamp), Number: w.Generation},
		Ordinals:        moves.Range{First: firstOrdinal(w), Count: *w.Spec.Replicas},
		Partition:       min(w.Spec.UpdateStrategy.RollingUpdate.Partition, moves.MaxPods), // an edit by somebody else can have any number
		Ready:           w.Status.ReadyReplicas,
		Available:       w.Status.AvailableReplicas,
		TemplateApplied: applied,
		CaughtUp:        w.CaughtUp(),
	}
}

// firstOrdinal returns the first ordinal of a StatefulSet. One that is too large for the operator is an edit by somebody else, and counts as 0.
func firstOrdinal(statefulSet *observed.Workload) int32 {
	if start := statefulSet.Spec.Ordinals.Start; start >= 0 && start <= moves.MaxFirst {
		return start
	}
	return 0
}

// serverFacts returns the pods of the StatefulSet by ordinal; none if neither spec nor status has proxies.
func (o *observation) serverFacts() map[int32]moves.Server {
	if !o.hasProxies() {
		return nil
	}
	servers := make(map[int32]moves.Server, len(o.servers))
	w := o.workload
	for _, pod := range o.servers {
		if ordinal, found := children.Ordinal(o.memcached, pod); found {
			servers[ordinal] = moves.Server{
				Pod:              podFact(pod),
				State:            serverState(pod, o.request.Now.Time),
				DisruptionReason: pod.DisruptionReason(),
				Updated:          w != nil && pod.Labels[appsv1.ControllerRevisionHashLabelKey] == w.Status.UpdateRevision,
			}
		}
	}
	return servers
}

// serverState returns the state of a server. One that is being deleted may be ready, and still counts as one that stops.
func serverState(pod *observed.Pod, now time.Time) moves.ServerState {
	live, graceEnds := !pod.Terminating(), ptr.Deref(pod.DeletionTimestamp, metav1.Time{})
	switch {
	case live && pod.Ready():
		return moves.ServerReady
	case live && pod.RunsSinceReady(children.ContainerName):
		return moves.ServerUnready
	case live:
		return moves.ServerEmpty
	case pod.IsLost() || !graceEnds.Add(moves.StuckDelay).After(now):
		return moves.ServerStuck
	case canHold(pod) && graceEnds.After(now):
		return moves.ServerHolding
	}
	return moves.ServerEnding
}

// predecessorFacts returns the pods of a deleted Memcached of the same name that may serve for longer than a moment.
func (o *observation) predecessorFacts() (pods []moves.Pod) {
	for _, pod := range o.predecessorPods {
		if canHold(pod) || pod.IsLost() {
			pods = append(pods, podFact(pod))
		}
	}
	return pods
}

// canHold reports whether a pod would serve on while it is being deleted: memcached and its hold run.
func canHold(pod *observed.Pod) bool {
	return pod.SidecarRunning(children.HoldName) && pod.ContainerRunning(children.ContainerName) && !pod.IsLost()
}
