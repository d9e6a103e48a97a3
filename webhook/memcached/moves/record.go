package moves

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// record returns the status that [RecordedRoutes] reads; before is the recorded one, or nil.
func record(routes Routes, revision v1alpha1.Revision, r Report, before *v1alpha1.ProxyStatus, now time.Time) *v1alpha1.ProxyStatus {
	if before == nil {
		before = new(v1alpha1.ProxyStatus)
	}
	move, lastMoveSeconds := recordMove(r, before, now)
	return &v1alpha1.ProxyStatus{
		Servers: routes.Serving().Describe(), OtherServers: routes.Other().Describe(), Move: move, LastMoveSeconds: lastMoveSeconds,
		Controller: v1alpha1.ProxyDecision{Routes: routes.String(), Observed: revision},
	}
}

// recordMove returns the phase of a move for status, nil if there is none, and how long the items of the last move took. No decision depends on the
// times, which count from Preparing on, when the servers are ready.
func recordMove(r Report, before *v1alpha1.ProxyStatus, now time.Time) (move *v1alpha1.MoveStatus, lastMoveSeconds int64) {
	move = r.status()
	if !slices.Contains([]v1alpha1.MovePhase{v1alpha1.MovePreparing, v1alpha1.MoveWarmingUp, v1alpha1.MoveClosing}, r.Phase) {
		return move, before.LastMoveSeconds
	}
	last := before.Move
	if last == nil || last.Since == nil || last.For != move.For || last.From != move.From || last.To != move.To {
		move.Since = seconds(now)
		return move, before.LastMoveSeconds
	}
	move.Since = last.Since
	if move.Phase == v1alpha1.MoveClosing && last.Phase == v1alpha1.MoveWarmingUp {
		return move, int64(now.Sub(last.Since.Time).Seconds())
	}
	return move, before.LastMoveSeconds
}

// RecordedRoutes returns the routes of the last decision; the zero value if status was lost or edited.
func RecordedRoutes(status *v1alpha1.ProxyStatus) Routes {
	if status == nil {
		return Routes{}
	}
	return ParseRoutes(status.Controller.Routes)
}

// recordedEnd returns the end that status has of a phase of this rollout; nil if it has none.
func (s situation) recordedEnd(phase v1alpha1.MovePhase) *metav1.Time {
	if s.recordedMove == nil || s.recordedMove.Phase != phase {
		return nil
	}
	return s.recordedMove.Until
}

// end returns the end of a phase, and the time left: a time after it was first recorded for this rollout. A recorded end that is too late is of
// a longer time, or of a clock that was set back. The Job that copies begins with a warm-up, whose end follows from its creation, which is the
// same for a sync that observes an earlier status.
func (s situation) end(phase v1alpha1.MovePhase, duration time.Duration) (end *metav1.Time, left time.Duration) {
	end = seconds(s.Now.Add(duration))
	switch job := s.observedJobOfPhase(); {
	case job != nil && phase == v1alpha1.MoveWarmingUp && job.Created.Before(s.Now.Add(observationDelay)):
		end = seconds(job.Created.Add(duration))
	case s.recordedEnd(phase).Before(end):
		end = s.recordedEnd(phase)
	}
	return end, max(0, end.Sub(s.Now)) // the end stays if it is over: what follows is repeated until it is observed
}

// recordedAs reports whether status has the decision for another phase of this rollout, and the Deployment was not updated.
func (s situation) recordedAs(phase ProxyPhase) bool {
	status := s.Status.Proxy
	return status != nil && status.Controller.Observed.Equal(s.revision) && RecordedRoutes(status) == s.routes.in(phase)
}
