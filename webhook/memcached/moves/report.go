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

	// Explanation says what happens in the phase, or what a move waits for that has not begun.
	Explanation string
	// ProxiesReady reports whether all proxies of the phase are available.
	ProxiesReady bool
	// OverduePod is a pod that the move waits for, and whose node does not respond, or that still exists after its grace period; the zero value if
	// there is none.
	OverduePod Pod
}

// explanations are those of the phases, for users.
var explanations = map[v1alpha1.MovePhase]string{
	v1alpha1.MoveAddingServers:   "New servers start. The proxies are rolled out to prepare for the change.",
	v1alpha1.MoveCleaning:        "A Job deletes old items on the remaining servers. The proxies are rolled out to prepare for the change.",
	v1alpha1.MovePreparing:       "The proxies are rolled out to find items that move.",
	v1alpha1.MoveWarmingUp:       "The proxies are rolled out to move items to their new servers.",
	v1alpha1.MoveClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.MoveRemovingServers: "The old servers are removed once no running proxy uses them.",
}

// obstacle is what a move waits for that has not begun, for users.
type obstacle string

const (
	noObstacle          obstacle = ""
	noStatefulSet       obstacle = "The StatefulSet has not been observed yet."
	templateNotApplied  obstacle = "The StatefulSet does not have the pod template yet."
	templateNotObserved obstacle = "The StatefulSet controller has not observed the pod template yet."
	proxiesNotAvailable obstacle = "Not all proxies are available."
	earlierPhase        obstacle = "The proxies of an earlier phase are replaced first."
	earlierPods         obstacle = "Removed servers with the same names as the new servers have not stopped yet."
	predecessor         obstacle = "Pods of a deleted Memcached with the same name have not stopped yet. They stop within seconds if their nodes respond."
)

// waits returns the report of a move that waits.
func waits(move Move, why obstacle) Report {
	return Report{Phase: v1alpha1.MoveWaiting, Move: move, Explanation: string(why)}
}

// removal returns the report of servers that are removed.
func removal(from, to Range) Report {
	return Report{
		Phase: v1alpha1.MoveRemovingServers, Move: Move{poolOf(from), poolOf(to)}, Explanation: explanations[v1alpha1.MoveRemovingServers],
	}
}

// report returns the report of proxies with some routes. If they are steady, and a move follows, it says why the move has not begun.
func (s situation) report(r Routes, why obstacle) Report {
	if r.Phase == Steady {
		return s.steadyReport(r.To, why)
	}
	report := Report{Phase: r.movePhase(), Move: r.Move, Explanation: explanations[r.movePhase()]}
	switch {
	case report.Phase == v1alpha1.MoveCleaning && !s.CanRunJob:
		report.Explanation = "The proxies are rolled out to prepare for the change."
	case r.Phase == Announcing && r.Purpose() == v1alpha1.MoveReturn:
		report.Explanation = "The server starts and is cleaned. The proxies are rolled out to prepare for the change."
	}
	return report
}

// steadyReport returns the report of steady proxies, which have servers to remove, a move that waits, or nothing.
func (s situation) steadyReport(used Pool, why obstacle) Report {
	if s.hasServersToRemove(used) {
		return removal(s.existing(), used.Span())
	}
	next := Move{used, s.target(used)}
	runs := len(s.running) > 0 && s.Size > 0 // otherwise a change of the size is no move
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
