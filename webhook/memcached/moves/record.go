package moves

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// record returns the status that [RecordedRoutes] reads.
func record(routes Routes, revision v1alpha1.Revision, r Report) *v1alpha1.ProxyStatus {
	return &v1alpha1.ProxyStatus{
		Servers: routes.Serving().Describe(), OtherServers: routes.Other().Describe(), Move: r.status(),
		Controller: v1alpha1.ProxyDecision{Routes: routes.String(), Observed: revision},
	}
}

// recordTime adds to a status when its move was ready to begin, and how long the items of the last move took. No decision depends on them.
func recordTime(status, before *v1alpha1.ProxyStatus, now time.Time) {
	var last *v1alpha1.MoveStatus
	if before != nil {
		status.LastMoveSeconds, last = before.LastMoveSeconds, before.Move
	}
	move := status.Move
	if move == nil || move.Phase != v1alpha1.MovePreparing && move.Phase != v1alpha1.MoveWarmingUp && move.Phase != v1alpha1.MoveClosing {
		return
	}
	move.Since = seconds(now)
	if last == nil || last.Since == nil || last.For != move.For || last.From != move.From || last.To != move.To {
		return
	}
	move.Since = last.Since
	if move.Phase == v1alpha1.MoveClosing && last.Phase == v1alpha1.MoveWarmingUp {
		status.LastMoveSeconds = int64(now.Sub(last.Since.Time).Seconds())
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
