package scaling

import (
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// RecordedRoutes returns the routes of the last decision; the zero value if status was lost or edited.
func RecordedRoutes(status *v1alpha1.ProxyStatus) Routes {
	if status == nil {
		return Routes{}
	}
	return ParseRoutes(status.Controller.Routes)
}

// remember returns the status that [RecordedRoutes] reads.
func remember(routes Routes, revision v1alpha1.Revision, move *v1alpha1.MoveStatus) *v1alpha1.ProxyStatus {
	return &v1alpha1.ProxyStatus{
		Servers: routes.Serving().Describe(), OtherServers: routes.Other().Describe(), Move: move,
		Controller: v1alpha1.ProxyMemory{Routes: routes.String(), Observed: revision},
	}
}

// move returns a phase of status.
func move(phase v1alpha1.MovePhase, from, to Pool) *v1alpha1.MoveStatus {
	purpose := v1alpha1.MoveForSize
	switch r := (Routes{From: from, To: to}); {
	case r.toSpare():
		purpose = v1alpha1.MoveForStop
	case r.Returns():
		purpose = v1alpha1.MoveForReturn
	case to.First != from.First && to.Count == from.Count:
		purpose = v1alpha1.MoveForTemplate
	case to.First != from.First:
		purpose = v1alpha1.MoveForBoth
	}
	return &v1alpha1.MoveStatus{For: purpose, From: from.Count, To: to.Count, Phase: phase}
}

// removal returns the phase in which servers are removed.
func removal(from, to Servers) *v1alpha1.MoveStatus {
	return move(v1alpha1.MoveRemovingServers, Pool{Servers: from}, Pool{Servers: to})
}

// movePhase returns the phase in status of proxies that are not steady.
func (r Routes) movePhase() v1alpha1.MovePhase {
	if r.Phase == Announcing && !r.adds() { // a server whose slot returns is cleaned too, after it has started
		return v1alpha1.MoveCleaning
	}
	return phasesInStatus[r.Phase]
}

var phasesInStatus = map[Phase]v1alpha1.MovePhase{
	Announcing: v1alpha1.MoveAddingServers, Preparing: v1alpha1.MovePreparing, Warming: v1alpha1.MoveWarmingUp, Closing: v1alpha1.MoveClosing,
}

// lasting returns a phase with its end, and the time left: a time after it was first recorded for this rollout. A recorded end that is too
// late is of a longer time, or of a clock that was set back. The Job that copies begins with a warm-up, whose end follows from its creation,
// which is the same for a sync that observes an earlier status.
func (c change) lasting(now *v1alpha1.MoveStatus, duration time.Duration) (*v1alpha1.MoveStatus, time.Duration) {
	end := seconds(c.Now.Add(duration))
	switch before, job := c.recorded, c.ownJob(); {
	case job != nil && now.Phase == v1alpha1.MoveWarmingUp && job.Created.Before(c.Now.Add(observationDelay)):
		end = seconds(job.Created.Add(duration))
	case before != nil && before.Until != nil && before.Until.Before(end) && samePhase(*before, *now):
		end = before.Until
	}
	lasts := *now
	lasts.Until = end // also if it is over: what follows is repeated until it is observed
	return &lasts, max(0, end.Sub(c.Now))
}

// decided reports whether status has the decision for another phase of this rollout, and the Deployment was not updated.
func (c change) decided(phase Phase) bool {
	status := c.Status.Proxy
	return status != nil && status.Controller.Observed.Equal(c.revision) && RecordedRoutes(status) == c.routes.in(phase)
}

// samePhase reports whether two recorded phases are the same phase of the same move.
func samePhase(a, b v1alpha1.MoveStatus) bool {
	a.Until, b.Until = nil, nil
	return a == b
}

// soonest returns the shorter of two times, of which 0 is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
