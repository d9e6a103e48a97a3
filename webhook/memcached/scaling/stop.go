package scaling

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

// leave returns the decision after spec has lost its proxies. The number of servers stays the same while one of them may run.
func (c change) leave() Plan {
	p := c.plan()
	p.setResize(v1alpha1.ResizeRemovingServers, c.existing, min(c.existing, c.Size))
	if c.gone() && c.elapsed(&p, observationDelay) {
		return c.direct()
	}
	p.Servers, p.Proxies = c.existing, 0
	return p
}

// stops reports whether the cache loses its last servers. A stop that has removed servers, or has interrupted a change, ends before
// the cache starts again.
func (c change) stops() bool {
	d := c.Proxies.Deployment
	if c.Size > 0 {
		return d != nil && d.Replicas == 0 && (c.routes.Phase != Steady || c.Workload != nil && c.Workload.Replicas == 0 && !c.emptied())
	}
	return d == nil || d.Replicas == 0 || c.MaxStep == 0 ||
		c.routes.Phase == Steady && c.step(c.routes.To) == 0 && c.untilStep(c.record(c.revision, 0)) == 0
}

// stop returns the decision to stop all proxies, and then to remove all servers.
func (c change) stop() Plan {
	p := c.plan()
	switch {
	case c.stopped() && c.existing == 0:
		p = c.planFor(steady(1, 0)) // as for a new cache
	case c.stopped(): // a change has ended if no proxy runs
		p = c.planFor(steady(c.routes.Used(), c.routes.MarksEnd))
	}
	if c.existing > 0 {
		p.setResize(v1alpha1.ResizeRemovingServers, c.existing, 0)
	}
	if c.existing == 0 || c.stopped() && c.elapsed(&p, observationDelay) {
		p.Servers = 0
	}
	p.Proxies = 0
	if c.MaxStep > 0 {
		p.Scaling.Replicas = 0
	}
	if c.existing == 0 {
		_, wait := c.serversFrom(0)
		p.Wait = soonest(p.Wait, wait)
	}
	return p
}
