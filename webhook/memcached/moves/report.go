package moves

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Report is what status has of a move, and users read. The zero value is none.
type Report struct {
	Phase v1alpha1.MovePhase
	Move
	// Until is when the phase ends, which later syncs read in status; nil if no time ends it.
	Until *metav1.Time

	// Obstacle is what a move waits for that has not begun.
	Obstacle Obstacle
	// RolloutEnded reports whether no proxy of the phase before runs, and all of this phase are available, unless they can reach no server.
	RolloutEnded bool
	// OverduePod is a pod that the move waits for, and whose node does not respond, or that still exists after its grace period; the zero
	// value if there is none.
	OverduePod Pod
}

// Obstacle is what a move waits for that has not begun.
type Obstacle string

// The obstacles.
const (
	NoObstacle Obstacle = ""
	// NoStatefulSet is observed.
	NoStatefulSet Obstacle = "NoStatefulSet"
	// TemplateNotApplied and TemplateNotObserved: the StatefulSet does not have the desired pod template, or its controller has not
	// observed it.
	TemplateNotApplied  Obstacle = "TemplateNotApplied"
	TemplateNotObserved Obstacle = "TemplateNotObserved"
	// ProxiesNotAvailable: not all proxies are available.
	ProxiesNotAvailable Obstacle = "ProxiesNotAvailable"
	// EarlierProxies run with the routes of an earlier phase.
	EarlierProxies Obstacle = "EarlierProxies"
	// EarlierServers with the names of new ones exist.
	EarlierServers Obstacle = "EarlierServers"
	// PredecessorPods of a deleted Memcached of the same name serve on.
	PredecessorPods Obstacle = "PredecessorPods"
)

// waits returns the report of a move that waits.
func waits(move Move, why Obstacle) Report {
	return Report{Phase: v1alpha1.MoveWaiting, Move: move, Obstacle: why}
}

// removal returns the report of servers that are removed.
func removal(from, to Range) Report {
	return Report{Phase: v1alpha1.MoveRemovingServers, Move: Move{poolOf(from), poolOf(to)}}
}

// report returns the report of proxies with some routes. If they are steady, and a move follows, it says why the move has not begun.
func (s situation) report(r Routes, why Obstacle) Report {
	if r.Phase == Steady {
		return s.steadyReport(r.To, why)
	}
	return Report{Phase: r.statusPhase(), Move: r.Move}
}

// steadyReport returns the report of steady proxies, which have servers to remove, a move that waits, or nothing.
func (s situation) steadyReport(used Pool, why Obstacle) Report {
	if s.hasServersToRemove(used) {
		return removal(s.existingOrdinals(), used.Span())
	}
	next := Move{used, s.target(used)}
	runs := len(s.runningRoutes) > 0 && s.Size > 0 // otherwise a change of the size is no move
	if next.Replaces() || next.From != next.To && (runs || next.HasSpares()) {
		return waits(next, why)
	}
	return Report{}
}

// status returns the phase for status; nil if there is none. Since is kept from the last status of the same move.
func (r Report) status(last *v1alpha1.MoveStatus, now time.Time) *v1alpha1.MoveStatus {
	if r.Phase == "" {
		return nil
	}
	move := &v1alpha1.MoveStatus{For: cmp.Or(r.Purpose(), v1alpha1.MoveResize), From: r.From.Slots.Count, To: r.To.Slots.Count, Phase: r.Phase, Until: r.Until}
	switch r.Phase {
	case v1alpha1.MovePreparing, v1alpha1.MoveWarmingUp, v1alpha1.MoveClosing: // the servers are ready
		move.Since = seconds(now)
		if last != nil && last.Since != nil && last.For == move.For && last.From == move.From && last.To == move.To {
			move.Since = last.Since
		}
	}
	return move
}
