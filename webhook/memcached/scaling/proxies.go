package scaling

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Next returns the decision.
func (s State) Next() Plan {
	c := s.change()
	switch {
	case !s.Proxies.Desired && s.Status.Proxy == nil && c.gone():
		return s.direct()
	case !s.Proxies.Desired:
		return c.leave()
	case c.stops():
		return c.stop()
	case !c.settled():
		return c.plan()
	}
	return c.next()
}

// change is a change of size with proxies, or none, as far as it is observed.
type change struct {
	State
	// revision is that of the Deployment of the proxies; the zero value if none is observed.
	revision v1alpha1.Revision
	// routes are those to continue from. They are shown if the Deployment has them.
	routes Routes
	shown  bool
	// running are the routes of the proxies that may run, and untilStopped is the time until the next one that is being
	// deleted counts as stopped; 0 if there is none.
	running      []Routes
	untilStopped time.Duration
	// existing is the number of servers. While the workload is not observed, they are those that status or pods show.
	existing int32
	// resize is what status records for this revision; nil if there is nothing.
	resize *v1alpha1.ResizeStatus
}

func (s State) change() change {
	c := change{State: s}
	c.countServers()
	for _, proxy := range s.Proxies.Pods {
		c.observe(proxy)
	}
	d, status := s.Proxies.Deployment, s.Status.Proxy
	if d != nil {
		c.revision, c.routes, c.shown = d.Revision, d.Routes, d.Routes != (Routes{})
	}
	switch {
	case s.Size > 0 && c.emptied():
		c.routes, c.shown = steady(s.Size, 0), false
	case !c.shown:
		c.routes = c.lastRoutes()
	}
	starts := s.Proxies.Desired && s.Size > 0 && (d == nil || d.Replicas == 0) // this ends each wait
	if status != nil && status.Observed.Equal(c.revision) && RecordedRoutes(status) == c.routes && !starts {
		c.resize = status.Resize
	}
	return c
}

func (c *change) countServers() {
	if c.Workload != nil {
		c.existing = min(c.Workload.Replicas, MaxServers)
		return
	}
	c.existing = int32(len(c.Status.Servers))
	for ordinal, server := range c.Servers {
		if server.Deleted == nil {
			c.existing = max(c.existing, ordinal+1)
		}
	}
	c.existing = min(c.existing, MaxServers)
}

// observe adds a proxy to those that may run.
func (c *change) observe(proxy Proxy) {
	if proxy.Deleted != nil {
		left := c.untilEnd(*proxy.Deleted)
		if left <= 0 {
			return
		}
		c.untilStopped = soonest(c.untilStopped, left)
	}
	c.running = append(c.running, proxy.Routes)
}

// lastRoutes returns the routes to continue from if the Deployment does not have them: those of the last phase among recorded ones
// and those of running proxies. If none are known, earlier proxies may have left marks on servers that exist, unless the
// StatefulSet has never changed.
func (c change) lastRoutes() Routes {
	routes := RecordedRoutes(c.Status.Proxy)
	for _, running := range c.running {
		if slices.Index(phaseOrder, running.Phase) > slices.Index(phaseOrder, routes.Phase) {
			routes = running
		}
	}
	switch {
	case routes != (Routes{}):
		return routes
	case len(c.Servers) > 0 && (c.Workload == nil || c.Workload.Generation > 1):
		return steady(max(c.existing, 1), c.marksEnd())
	}
	return steady(max(c.existing, c.Size, 1), 0)
}

// emptied reports whether all servers were removed, and no proxy runs: there are no items to keep.
func (c change) emptied() bool {
	serves, _ := c.serversFrom(0)
	return c.Workload != nil && c.Workload.Replicas == 0 && !serves && c.stopped()
}

// serversFrom reports whether servers from an ordinal on may run, and the time until the next one of them counts as stopped; 0 if
// there is no such time.
func (s State) serversFrom(ordinal int32) (run bool, wait time.Duration) {
	for each, server := range s.Servers {
		if each < ordinal {
			continue
		}
		if server.Deleted != nil {
			left := s.untilEnd(*server.Deleted)
			if left <= 0 {
				continue
			}
			wait = soonest(wait, left)
		}
		run = true
	}
	return run, wait
}

// untilEnd returns the time until a pod with this deletion timestamp counts as stopped.
func (s State) untilEnd(deleted time.Time) time.Duration {
	return deleted.Add(stopDelay + s.MaxClockSkew).Sub(s.Now)
}

// stopped reports whether no proxy runs, and the Deployment starts none.
func (c change) stopped() bool {
	d := c.Proxies.Deployment
	return len(c.running) == 0 && d != nil && d.Replicas == 0 && d.RolledOut
}

// gone reports whether no proxy runs, and no Deployment starts one.
func (c change) gone() bool { return len(c.running) == 0 && c.Proxies.Deployment == nil }

// settled reports whether all desired proxies are available, and no proxy that may run has other routes.
func (c change) settled() bool {
	d := c.Proxies.Deployment
	return c.shown && d.RolledOut && d.Replicas == c.Proxies.Replicas &&
		!slices.ContainsFunc(c.running, func(routes Routes) bool { return routes != c.routes })
}

// plan returns the decision to continue with the routes. It removes no server.
func (c change) plan() Plan {
	p := c.planFor(c.routes)
	if c.resize != nil {
		p.Proxy.Resize = c.resize.DeepCopy()
	}
	return p
}

// planFor returns the decision for routes. It removes no server.
func (c change) planFor(routes Routes) Plan {
	p := Plan{Servers: max(c.existing, routes.Longest()), Proxies: c.Proxies.Replicas, Routes: routes, Proxy: record(routes, c.existing), Wait: c.untilStopped}
	p.Proxy.Observed = c.revision
	if c.adding() && c.Size > routes.Longest() {
		p.AddedFor = c.Workload.AddedFor
	}
	if c.MaxStep > 0 {
		p.Scaling = c.record(c.revision, routes.To)
	}
	c.keepCopy(&p)
	return p
}
