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
	return ParseRoutes(status.Routes)
}

// record returns the status that [RecordedRoutes] reads.
func record(routes Routes) *v1alpha1.ProxyStatus {
	status := &v1alpha1.ProxyStatus{Routes: routes.String(), ServingServers: routes.Used().Count, SecondServers: routes.Second().Count}
	if routes.Phase != Steady {
		status.Resize = resize(routes.resizePhase(), routes.From, routes.To)
	}
	return status
}

func resize(phase v1alpha1.ResizePhase, from, to Servers) *v1alpha1.ResizeStatus {
	return &v1alpha1.ResizeStatus{From: from.Count, To: to.Count, Replaces: from.Set != to.Set, Phase: phase}
}

// setResize sets the phase of a change in which the proxies have no phase. Status always has the phase of the proxies.
func (p *Plan) setResize(phase v1alpha1.ResizePhase, from, to Servers) {
	if p.Routes.Phase == Steady {
		p.Proxy.Resize = resize(phase, from, to)
	}
}

// elapsed reports whether a time has passed since the phase of a plan was first recorded for this rollout. Otherwise the plan
// waits for its end. A recorded end that is too late is of a longer time, or of a clock that was set back. If a Job began with the phase,
// the end follows from its creation, which is the same for a sync that observes an earlier status.
func (c change) elapsed(p *Plan, duration time.Duration) bool {
	now, end := p.Proxy.Resize, seconds(c.Now.Add(duration))
	now.Until = nil
	before, job := c.resize, c.copy()
	switch {
	case job != nil && !job.Created.IsZero() && job.Created.Before(c.Now.Add(observationDelay)):
		end = seconds(job.Created.Add(duration))
	case before != nil && before.Until != nil && before.Until.Before(end) && sameChange(before, now):
		end = before.Until
	}
	left := end.Sub(c.Now)
	if left <= 0 {
		return true
	}
	now.Until, p.Wait = end, soonest(p.Wait, left)
	return false
}

// sameChange reports whether two recorded phases are the same phase of the same change.
func sameChange(a, b *v1alpha1.ResizeStatus) bool {
	return a.Phase == b.Phase && a.From == b.From && a.To == b.To && a.Replaces == b.Replaces
}

// soonest returns the shorter of two times, of which 0 is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
