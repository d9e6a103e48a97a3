package scaling

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Next returns the decision.
func (s State) Next() Plan {
	if !s.Proxies.Desired && s.Status.Proxy == nil && s.gone() {
		return s.direct()
	}
	c := s.change()
	switch {
	case !s.Proxies.Desired:
		return c.leave()
	case c.stops():
		return c.stop()
	case !c.settled():
		return c.plan()
	}
	switch c.routes.Phase {
	case Preparing:
		return c.preparing()
	case Warming:
		return c.warming()
	case Closing:
		return c.closing()
	}
	return c.steady()
}

// change is a change of size with proxies, or none, as far as it is observed.
type change struct {
	State
	// revision is that of the Deployment of the proxies; the zero value if none is observed.
	revision v1alpha1.Revision
	// routes are those to continue from. They are shown if the Deployment has them.
	routes Routes
	shown  bool
	// existing is the number of servers that exist.
	existing int32
	// resize is what status records for this revision; nil if there is nothing.
	resize *v1alpha1.ResizeStatus
}

func (s State) change() change {
	c := change{State: s, existing: s.existing()}
	d, status := s.Proxies.Deployment, s.Status.Proxy
	if d != nil {
		c.revision, c.routes, c.shown = d.Revision, d.Routes, d.Routes != (Routes{})
	}
	if !c.shown {
		c.routes = c.furthest(RecordedRoutes(status))
	}
	switch {
	case s.Size > 0 && s.emptied():
		c.routes, c.shown = steady(s.Size, 0), false
	case c.routes == (Routes{}):
		c.routes = c.firstRoutes()
	}
	if s.starts() && c.routes.Phase == Warming { // the warm-up begins again, with other routes than the recorded ones
		c.routes.MarksEnd = max(c.routes.MarksEnd+1, s.marksEnd())
	}
	if status != nil && status.Observed.Equal(c.revision) && RecordedRoutes(status) == c.routes && !s.starts() { // a start ends each wait
		c.resize = status.Resize
	}
	return c
}

// furthest returns the routes of the last phase among recorded ones and those of running proxies.
func (c change) furthest(routes Routes) Routes {
	for _, proxy := range c.Proxies.Pods {
		if c.runs(proxy) && slices.Index(phaseOrder, proxy.Routes.Phase) > slices.Index(phaseOrder, routes.Phase) {
			routes = proxy.Routes
		}
	}
	return routes
}

// firstRoutes returns the routes of proxies if none are known. Earlier proxies may have left marks on servers that exist, unless
// the StatefulSet has never changed.
func (c change) firstRoutes() Routes {
	if len(c.Servers) > 0 && (c.Workload == nil || c.Workload.Generation > 1) {
		return steady(max(c.existing, 1), c.marksEnd())
	}
	return steady(max(c.existing, c.Size, 1), 0)
}

// starts reports whether the first proxies start.
func (s State) starts() bool {
	d := s.Proxies.Deployment
	return s.Proxies.Desired && s.Size > 0 && (d == nil || d.Replicas == 0)
}

// existing returns the number of servers. While the workload is not observed, they are those that status or pods show.
func (s State) existing() int32 {
	if s.Workload != nil {
		return min(s.Workload.Replicas, MaxServers)
	}
	existing := int32(len(s.Status.ServerList))
	for ordinal, server := range s.Servers {
		if server.Deleted == nil {
			existing = max(existing, ordinal+1)
		}
	}
	return min(existing, MaxServers)
}

// emptied reports whether all servers were removed, and no proxy runs: there are no items to keep.
func (s State) emptied() bool {
	serves, _ := s.serversFrom(0)
	return s.Workload != nil && s.Workload.Replicas == 0 && !serves && s.stopped()
}

// serversFrom reports whether servers from an ordinal on may run, and when the next one of them counts as stopped; 0 if there is no
// such time.
func (s State) serversFrom(ordinal int32) (run bool, wait time.Duration) {
	for each, server := range s.Servers {
		if each < ordinal || !s.mayRun(server.Deleted) {
			continue
		}
		if run = true; server.Deleted != nil {
			wait = soonest(wait, s.untilEnd(*server.Deleted))
		}
	}
	return run, wait
}

// runs reports whether a proxy may run.
func (s State) runs(proxy Proxy) bool { return s.mayRun(proxy.Deleted) }

// mayRun reports whether a pod with this deletion timestamp may run.
func (s State) mayRun(deleted *time.Time) bool { return deleted == nil || s.untilEnd(*deleted) > 0 }

// untilEnd returns the time until a pod with this deletion timestamp counts as stopped.
func (s State) untilEnd(deleted time.Time) time.Duration {
	return deleted.Add(stopDelay + s.MaxClockSkew).Sub(s.Now)
}

// stopped reports whether no proxy runs, and the Deployment starts none.
func (s State) stopped() bool {
	d := s.Proxies.Deployment
	return s.noneRuns() && d != nil && d.Replicas == 0 && d.RolledOut
}

// gone reports whether no proxy runs, and no Deployment starts one.
func (s State) gone() bool { return s.noneRuns() && s.Proxies.Deployment == nil }

func (s State) noneRuns() bool {
	for _, proxy := range s.Proxies.Pods {
		if s.runs(proxy) {
			return false
		}
	}
	return true
}

// settled reports whether all desired proxies are available, and no proxy that may run has other routes.
func (c change) settled() bool {
	d := c.Proxies.Deployment
	if !c.shown || !d.RolledOut || d.Replicas != c.Proxies.Replicas {
		return false
	}
	for _, proxy := range c.Proxies.Pods {
		if c.runs(proxy) && proxy.Routes != c.routes {
			return false
		}
	}
	return true
}

// plan returns the decision to continue with the routes. It removes no server.
func (c change) plan() Plan {
	p := c.planFor(c.routes)
	if c.resize != nil {
		p.Proxy.Resize = c.resize.DeepCopy()
	}
	return p
}

// adding reports whether servers were added for this rollout of the proxies.
func (c change) adding() bool {
	return c.Workload != nil && c.Workload.AddedFor == c.revision.String()
}

// planFor returns the decision for routes. It removes no server.
func (c change) planFor(routes Routes) Plan {
	p := Plan{Servers: max(c.existing, routes.Longest()), Proxies: c.Proxies.Replicas, Routes: routes, Current: routes.To.Count, Wait: c.untilStopped()}
	p.Next = p.Current
	if c.adding() && c.Size > routes.Longest() {
		p.AddedFor = c.Workload.AddedFor
	}
	if c.MaxStep > 0 {
		p.Scaling = c.record(c.revision, routes.To.Count)
	}
	p.Proxy = record(routes, c.existing)
	p.Proxy.Observed = c.revision
	return p
}

// untilStopped returns the time until the next proxy that is being deleted counts as stopped; 0 if there is none.
func (s State) untilStopped() time.Duration {
	var wait time.Duration
	for _, proxy := range s.Proxies.Pods {
		if proxy.Deleted != nil && s.runs(proxy) {
			wait = soonest(wait, s.untilEnd(*proxy.Deleted))
		}
	}
	return wait
}

// soonest returns the shorter of two times, of which 0 is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// elapsed reports whether a time has passed since the phase of a plan was first recorded for this rollout. Otherwise the plan
// waits for its end. A recorded end that is too late is of a longer time, or of a clock that was set back.
func (c change) elapsed(p *Plan, duration time.Duration) bool {
	now, end := p.Proxy.Resize, seconds(c.Now.Add(duration+c.MaxClockSkew))
	now.Until = nil
	if before := c.resize; before != nil && before.Until != nil && before.Until.Before(end) && before.Phase == now.Phase && before.From == now.From && before.To == now.To {
		end = before.Until
	}
	left := end.Sub(c.Now)
	if left <= 0 {
		return true
	}
	now.Until, p.Wait = end, soonest(p.Wait, left)
	return false
}
