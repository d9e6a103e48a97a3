package scaling

import (
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Next returns the decision.
func (s State) Next() Plan {
	if s.OneSet {
		return s.direct(First)
	}
	c := s.change()
	switch {
	case !s.Proxies.Desired && s.Status.Proxy == nil && c.gone():
		return s.direct(c.routes.Used().Set)
	case !s.Proxies.Desired:
		return c.leave()
	case c.stops():
		return c.stop()
	case c.turnsBack():
		return c.planFor(c.routes.in(Announcing))
	case c.routes.Phase == Announcing:
		return c.announcing()
	case c.shown && c.routes.Phase == Steady && len(c.unused(c.routes.To)) > 0:
		return c.removeUnused()
	case !c.settled():
		return c.plan()
	}
	return c.next()
}

// change is a change of the servers with proxies, or none, as far as it is observed.
type change struct {
	State
	// revision is that of the Deployment of the proxies; the zero value if none is observed.
	revision v1alpha1.Revision
	// routes are those to continue from. They are shown if the Deployment has them.
	routes Routes
	shown  bool
	// running are the routes of the proxies that may run: a pod may run as long as its object exists, whatever its deletion timestamp.
	running []Routes
	// resize is what status records for this revision; nil if there is nothing.
	resize *v1alpha1.ResizeStatus
}

func (s State) change() change {
	c := change{State: s}
	for _, proxy := range s.Proxies.Pods {
		c.running = append(c.running, proxy.Routes)
	}
	d, status := s.Proxies.Deployment, s.Status.Proxy
	if d != nil {
		c.revision, c.routes, c.shown = d.Revision, d.Routes, d.Routes != (Routes{})
	}
	if !c.shown {
		c.routes = c.lastRoutes()
	}
	if s.Size > 0 && c.emptied() {
		c.routes, c.shown = steady(Servers{c.routes.Used().Set, s.Size}), false
	}
	starts := s.Proxies.Desired && s.Size > 0 && (d == nil || d.Replicas == 0) // this ends each wait
	if status != nil && status.Observed.Equal(c.revision) && RecordedRoutes(status) == c.routes && !starts {
		c.resize = status.Resize
	}
	return c
}

// existing returns the servers of a set that exist.
func (c change) existing(set Set) Servers { return Servers{set, c.Sets[set].existing()} }

// lastRoutes returns the routes to continue from if the Deployment does not have them: those of the last phase among recorded ones
// and those of running proxies. If none are known, the servers that exist may have items.
func (c change) lastRoutes() Routes {
	routes := RecordedRoutes(c.Status.Proxy)
	for _, running := range c.running {
		if routes == (Routes{}) || slices.Index(phaseOrder, running.Phase) > slices.Index(phaseOrder, routes.Phase) {
			routes = running
		}
	}
	if routes.Phase == Preparing && !slices.Contains(c.running, routes.in(Announcing)) { // warming ones may have run, and have stopped first
		return routes.in(Warming)
	}
	if routes != (Routes{}) {
		return routes
	}
	servers := c.existing(c.likelySet())
	if servers.Count == 0 {
		servers.Count = max(c.Size, 1)
	}
	return steady(servers)
}

// likelySet returns the set in use if no proxy says so: the one that status has, or that exists, or that has more ready servers.
func (s State) likelySet() Set {
	a, b := s.Sets[First], s.Sets[Second]
	second := b.ready() > a.ready()
	switch {
	case (a.Recorded > 0) != (b.Recorded > 0):
		second = b.Recorded > 0
	case (a.Workload == nil) != (b.Workload == nil):
		second = b.Workload != nil
	}
	if second {
		return Second
	}
	return First
}

// emptied reports whether all servers were removed, and no proxy runs: there are no items to keep.
func (c change) emptied() bool {
	for _, set := range c.Sets {
		if set.Workload != nil && set.Workload.Replicas > 0 {
			return false
		}
	}
	return c.Sets[c.routes.Used().Set].Workload != nil && len(c.serversRun()) == 0 && c.stopped()
}

// serversRun returns the servers of both sets that may run.
func (s State) serversRun() []Pod {
	return append(s.serversFrom(First, 0), s.serversFrom(Second, 0)...)
}

// serversFrom returns the servers of a set from an ordinal on that may run.
func (s State) serversFrom(set Set, ordinal int32) (servers []Pod) {
	for each, server := range s.Sets[set].Servers {
		if each >= ordinal {
			servers = append(servers, server.Pod)
		}
	}
	return servers
}

// await names a pod that a plan waits for although its grace period is over. The first name is the same in each sync.
func (c change) await(p *Plan, pods ...Pod) {
	for _, pod := range pods {
		if pod.Deleted == nil {
			continue
		}
		if left := pod.Deleted.Sub(c.Now); left > 0 {
			p.Wait = soonest(p.Wait, left)
		} else if p.Overdue == "" || pod.Name < p.Overdue {
			p.Overdue = pod.Name
		}
	}
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
	p := Plan{InUse: routes.Used().Set, Proxies: c.Proxies.Replicas, Routes: routes, Proxy: record(routes)}
	p.Proxy.Observed = c.revision
	if unused := c.unused(routes.To); len(unused) > 0 {
		p.setResize(v1alpha1.ResizeRemovingServers, c.existing(unused[0]), routes.To)
	}
	for set := range p.Sets {
		p.Sets[set] = c.kept(Set(set), routes)
		if next := c.target(routes.To); p.Sets[set].KeepsTemplate && p.Proxy.Resize == nil && next.Set != routes.To.Set {
			p.setResize(v1alpha1.ResizeWaiting, routes.To, next)
		}
	}
	for _, proxy := range c.Proxies.Pods {
		if proxy.Routes != c.routes || !c.Proxies.Desired || c.Size == 0 {
			c.await(&p, proxy.Pod)
		}
	}
	if c.MaxStep > 0 {
		p.Scaling = c.record(c.revision, routes.To.Count)
	}
	c.keepCopy(&p)
	return p
}

// kept returns the desired state of a set of which no server is removed. A set that is used keeps its pod template while it has items:
// a set without items may need the change.
func (c change) kept(set Set, routes Routes) DesiredSet {
	observed, used := c.Sets[set], routes.In(set)
	if observed.Workload == nil && used == 0 {
		return DesiredSet{}
	}
	return DesiredSet{Exists: true, Replicas: max(observed.existing(), used), KeepsTemplate: observed.outdated() && (c.Warm || routes.Phase != Steady)}
}
