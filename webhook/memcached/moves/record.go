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
		SecondsPerServer: s.secondsPerServer(r, move, &before),
		LastDecision:     v1alpha1.ProxyDecision{Routes: routes.String(), Observed: s.revision},
	}
}

// secondsPerServer returns how long a drain may take: the rollouts until the Job of the last move began, and the items of one server. No
// decision depends on it. The Job reads those of as many servers at a time as there are proxies. Only moves of all items of servers count:
// an increase moves a part, and a slot that returns has what its spare got in time.
func (s situation) secondsPerServer(r Report, move *v1alpha1.MoveStatus, before *v1alpha1.ProxyStatus) int64 {
	last, purpose := before.Move, r.Purpose()
	counts := r.Phase == v1alpha1.MoveClosing && (purpose == v1alpha1.MoveToSpare || purpose == v1alpha1.MoveReplace)
	if !counts || last == nil || last.Phase != v1alpha1.MoveWarmingUp || !last.Since.Equal(move.Since) {
		return before.SecondsPerServer
	}
	began := move.Since.Time
	if job := s.phaseJob; job != nil && job.Created.After(began) {
		began = job.Created
	}
	servers := max(1, int64(len(Routes{r.Move, Warming}.JobServers())))
	together := max(1, min(servers, int64(s.Proxies.Replicas)))
	rounds := (servers + together - 1) / together
	return int64(began.Sub(move.Since.Time).Seconds()) + int64(s.Now.Sub(began).Seconds())/rounds
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

// endAfter returns the end of a phase: a time after it was first recorded for this rollout. A recorded end that is too late is of a longer
// time, or of a clock that was set back.
func (s situation) endAfter(phase v1alpha1.MovePhase, duration time.Duration) *metav1.Time {
	end := seconds(s.Now.Add(duration))
	if recorded := s.recordedEnd(phase); recorded.Before(end) {
		return recorded
	}
	return end
}

// endOfWarmup returns the end of a warm-up. It follows from the creation of the Job that copies, which is the same for a sync that observes
// an earlier status.
func (s situation) endOfWarmup() *metav1.Time {
	longest, job := s.Proxies.Warmup, s.phaseJob
	if job == nil || !job.Created.Before(s.Now.Add(observationDelay)) {
		return s.endAfter(v1alpha1.MoveWarmingUp, longest)
	}
	if job.Warmup > 0 && longest > 0 { // an edit of the time is for the next warm-up: the deadline of the Job stays
		longest = job.Warmup
	}
	return seconds(job.Created.Add(longest))
}

// recordedAs reports whether status has the decision for another phase of this rollout, and the Deployment was not updated.
func (s situation) recordedAs(phase ProxyPhase) bool {
	status := s.Status.Proxy
	return status != nil && status.LastDecision.Observed.Equal(s.revision) && RecordedRoutes(status) == s.current.in(phase)
}
