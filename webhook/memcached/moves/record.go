package moves

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// record returns the status that [RecordedRoutes] reads.
func (s situation) record(routes Routes, r Report) *v1alpha1.ProxyStatus {
	var before v1alpha1.ProxyStatus
	if s.Status != nil && s.Status.Proxy != nil {
		before = *s.Status.Proxy
	}
	move := r.status(before.Move, s.Now)
	return &v1alpha1.ProxyStatus{
		Servers: routes.Serving().Describe(), OtherServers: routes.Other().Describe(), Move: move,
		SecondsPerServer: secondsPerServer(r, move, &before, s.Proxies.Replicas, s.Now),
		LastDecision:     v1alpha1.ProxyDecision{Routes: routes.String(), Observed: s.revision},
	}
}

// secondsPerServer returns how long the items of one server took in the last move, in which each proxy moved those of one server at a time. No decision
// depends on it. A slot that returns has the items that its spare got in time, so that says nothing of what a drain needs.
func secondsPerServer(r Report, move *v1alpha1.MoveStatus, before *v1alpha1.ProxyStatus, proxies int32, now time.Time) int64 {
	last := before.Move
	if r.Phase != v1alpha1.MoveClosing || r.Purpose() == v1alpha1.MoveReturn || last == nil || last.Phase != v1alpha1.MoveWarmingUp || !last.Since.Equal(move.Since) {
		return before.SecondsPerServer
	}
	servers := max(1, int64(len(Routes{r.Move, Warming}.JobServers())))
	together := max(1, min(servers, int64(proxies)))
	return int64(now.Sub(move.Since.Time).Seconds()) / ((servers + together - 1) / together)
}

// RecordedRoutes returns the routes of the last decision; the zero value if status was lost or edited.
func RecordedRoutes(status *v1alpha1.ProxyStatus) Routes {
	if status == nil {
		return Routes{}
	}
	return ParseRoutes(status.LastDecision.Routes)
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
		if job.Warmup > 0 && duration > 0 { // an edit of the time is for the next warm-up: the deadline of the Job stays
			duration = job.Warmup
		}
		end = seconds(job.Created.Add(duration))
	case s.recordedEnd(phase).Before(end):
		end = s.recordedEnd(phase)
	}
	return end, max(0, end.Sub(s.Now)) // the end stays if it is over: what follows is repeated until it is observed
}

// recordedAs reports whether status has the decision for another phase of this rollout, and the Deployment was not updated.
func (s situation) recordedAs(phase ProxyPhase) bool {
	status := s.Status.Proxy
	return status != nil && status.LastDecision.Observed.Equal(s.revision) && RecordedRoutes(status) == s.routes.in(phase)
}
