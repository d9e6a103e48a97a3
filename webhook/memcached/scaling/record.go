package scaling

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// move is a phase of a move from some servers to others, as status has it. The zero value is none.
type move struct {
	phase    v1alpha1.MovePhase
	from, to Pool
	until    *metav1.Time
}

// removal returns the phase in which servers are removed.
func removal(from, to Servers) move {
	return move{v1alpha1.MoveRemovingServers, Pool{Servers: from}, Pool{Servers: to}, nil}
}

// status returns the phase for status; nil if there is none.
func (m move) status() *v1alpha1.MoveStatus {
	if m.phase == "" {
		return nil
	}
	purpose := v1alpha1.MoveForSize
	switch r := (Routes{From: m.from, To: m.to}); {
	case r.toSpare():
		purpose = v1alpha1.MoveForStop
	case r.Returns():
		purpose = v1alpha1.MoveForReturn
	case r.Replaces() && m.to.Count == m.from.Count:
		purpose = v1alpha1.MoveForTemplate
	case r.Replaces():
		purpose = v1alpha1.MoveForBoth
	}
	return &v1alpha1.MoveStatus{For: purpose, From: m.from.Count, To: m.to.Count, Phase: m.phase, Until: m.until}
}

// record returns the status that [RecordedRoutes] reads.
func record(routes Routes, revision v1alpha1.Revision, m move) *v1alpha1.ProxyStatus {
	return &v1alpha1.ProxyStatus{
		Servers: routes.Serving().Describe(), OtherServers: routes.Other().Describe(), Move: m.status(),
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

// isRecorded reports whether status has the same phase of the same move for this rollout.
func (c change) isRecorded(m move) bool {
	status := m.status()
	if status == nil || c.recorded == nil {
		return false
	}
	recorded := *c.recorded
	recorded.Until, status.Until = nil, nil
	return recorded == *status
}

// lasts sets the end of a phase, and returns the time left: a time after it was first recorded for this rollout. A recorded end that is too
// late is of a longer time, or of a clock that was set back. The Job that copies begins with a warm-up, whose end follows from its creation,
// which is the same for a sync that observes an earlier status.
func (c change) lasts(m *move, duration time.Duration) time.Duration {
	m.until = seconds(c.Now.Add(duration)) // also if it is over: what follows is repeated until it is observed
	switch job := c.ownJob(); {
	case job != nil && m.phase == v1alpha1.MoveWarmingUp && job.Created.Before(c.Now.Add(observationDelay)):
		m.until = seconds(job.Created.Add(duration))
	case c.isRecorded(*m) && c.recorded.Until != nil && c.recorded.Until.Before(m.until):
		m.until = c.recorded.Until
	}
	return max(0, m.until.Sub(c.Now))
}

// decided reports whether status has the decision for another phase of this rollout, and the Deployment was not updated.
func (c change) decided(phase Phase) bool {
	status := c.Status.Proxy
	return status != nil && status.Controller.Observed.Equal(c.revision) && RecordedRoutes(status) == c.routes.in(phase)
}
