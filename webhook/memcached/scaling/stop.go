package scaling

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

// leave returns the decision after spec has lost its proxies. No server is removed while one of them may run.
func (c change) leave() Plan {
	p := c.plan()
	p.setResize(v1alpha1.ResizeRemovingServers, c.existing, min(c.existing, c.Size))
	if c.gone() && c.elapsed(&p, observationDelay) {
		return c.direct()
	}
	kept := c.State
	kept.Size = max(c.Size, c.existing)
	direct := kept.direct()
	direct.Proxy, direct.Routes, direct.Wait = p.Proxy, p.Routes, soonest(direct.Wait, p.Wait)
	return direct
}

// stops reports whether the cache loses its last servers. A stop that has removed servers ends before the cache starts again.
func (c change) stops() bool {
	d := c.Proxies.Deployment
	if c.Size > 0 {
		return d != nil && d.Replicas == 0 && c.Workload != nil && c.Workload.Replicas == 0 && !c.emptied()
	}
	return d == nil || d.Replicas == 0 || c.MaxStep == 0 ||
		c.routes.Phase == Steady && c.step(c.routes.To.Count) == 0 && c.untilStep(c.record(c.revision, 0)) == 0
}

// stop returns the decision to stop all proxies, and then to remove all servers.
func (c change) stop() Plan {
	p, stopped := c.plan(), c.stopped()
	switch {
	case stopped && c.existing == 0:
		p = c.planFor(steady(1, 0)) // for proxies without pods
	case stopped: // a change has ended if no proxy runs
		p = c.planFor(steady(c.routes.Used(), c.routes.MarksEnd))
	}
	p.Proxies = 0
	if c.MaxStep > 0 {
		p.Scaling.Replicas = 0
	}
	if c.existing == 0 { // also while the Deployment of the proxies is not rolled out, whose routes have at least one server
		_, wait := c.serversFrom(0)
		p.Servers, p.Wait = 0, soonest(p.Wait, wait)
		return p
	}
	p.setResize(v1alpha1.ResizeRemovingServers, c.existing, 0)
	if stopped && c.elapsed(&p, observationDelay) {
		p.Servers = 0
	}
	return p
}
