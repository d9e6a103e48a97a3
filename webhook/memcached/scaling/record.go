package scaling

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Report is what users read about a move. The zero value is none.
type Report struct {
	Phase v1alpha1.MovePhase
	// From and To are the servers before and after the move.
	From, To Pool
	// Until is when the phase ends; nil if no time ends it.
	Until *metav1.Time

	// Explanation says what happens in the phase, or what a move waits for that has not begun.
	Explanation string
	// Settled reports whether all proxies of the phase are available.
	Settled bool
	// Overdue is a pod that the move waits for, and whose node does not respond, or that still exists after its grace period; the zero value if
	// there is none.
	Overdue Pod
}

// removal returns the phase in which servers are removed.
func removal(from, to Range) Report {
	return Report{Phase: v1alpha1.MoveRemovingServers, From: poolOf(from), To: poolOf(to)}
}

// reportOf returns the phase of a move for status. Steady proxies may have servers to remove, or a move that waits.
func (c current) reportOf(routes Routes) Report {
	switch {
	case routes.Phase != Steady:
		return Report{Phase: routes.movePhase(), From: routes.From, To: routes.To}
	case c.hasServersToRemove(routes.To):
		return removal(c.existing(), routes.To.Span())
	}
	if next := (Routes{From: routes.To, To: c.target(routes.To)}); next.From != next.To && (next.Replaces() || next.HasSpares()) {
		return Report{Phase: v1alpha1.MoveWaiting, From: next.From, To: next.To}
	}
	return Report{}
}

// status returns the phase for status; nil if there is none.
func (r Report) status() *v1alpha1.MoveStatus {
	if r.Phase == "" {
		return nil
	}
	purpose := v1alpha1.MoveForSize
	switch move := (Routes{From: r.From, To: r.To}); {
	case move.ToSpares():
		purpose = v1alpha1.MoveForStop
	case move.Returns():
		purpose = v1alpha1.MoveForReturn
	case move.Replaces() && r.To.Slots.Count == r.From.Slots.Count:
		purpose = v1alpha1.MoveForTemplate
	case move.Replaces():
		purpose = v1alpha1.MoveForBoth
	}
	return &v1alpha1.MoveStatus{For: purpose, From: r.From.Slots.Count, To: r.To.Slots.Count, Phase: r.Phase, Until: r.Until}
}

// record returns the status that [RecordedRoutes] reads.
func record(routes Routes, revision v1alpha1.Revision, r Report) *v1alpha1.ProxyStatus {
	return &v1alpha1.ProxyStatus{
		Servers: routes.Serving().Describe(), OtherServers: routes.Other().Describe(), Move: r.status(),
		Controller: v1alpha1.ProxyMemory{Routes: routes.String(), Observed: revision},
	}
}

// RecordedRoutes returns the routes of the last decision; the zero value if status was lost or edited.
func RecordedRoutes(status *v1alpha1.ProxyStatus) Routes {
	if status == nil {
		return Routes{}
	}
	return ParseRoutes(status.Controller.Routes)
}

// recordedEnd returns the end that status has of a phase of this rollout; nil if it has none.
func (c current) recordedEnd(phase v1alpha1.MovePhase) *metav1.Time {
	if c.recordedMove == nil || c.recordedMove.Phase != phase {
		return nil
	}
	return c.recordedMove.Until
}

// setEnd sets the end of a phase, and returns the time left: a time after it was first recorded for this rollout. A recorded end that is too
// late is of a longer time, or of a clock that was set back. The Job that copies begins with a warm-up, whose end follows from its creation,
// which is the same for a sync that observes an earlier status.
func (c current) setEnd(r *Report, duration time.Duration) time.Duration {
	r.Until = seconds(c.Now.Add(duration)) // also if it is over: what follows is repeated until it is observed
	switch job := c.observedJobOfPhase(); {
	case job != nil && r.Phase == v1alpha1.MoveWarmingUp && job.Created.Before(c.Now.Add(observationDelay)):
		r.Until = seconds(job.Created.Add(duration))
	case c.recordedEnd(r.Phase).Before(r.Until):
		r.Until = c.recordedEnd(r.Phase)
	}
	return max(0, r.Until.Sub(c.Now))
}

// recordedAs reports whether status has the decision for another phase of this rollout, and the Deployment was not updated.
func (c current) recordedAs(phase Phase) bool {
	status := c.Status.Proxy
	return status != nil && status.Controller.Observed.Equal(c.revision) && RecordedRoutes(status) == c.routes.in(phase)
}
