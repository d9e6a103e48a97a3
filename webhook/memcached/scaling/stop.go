package scaling

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

// leave returns the decision after spec has lost its proxies. The number of servers stays the same while one of them may run. Then
// servers that are not in use are removed, and the status of the proxies last: it says which set is in use.
func (c change) leave() Plan {
	p, used := c.plan(), c.routes.Used()
	if c.gone() { // a change has ended if no proxy runs
		p = c.planFor(steady(used))
	}
	removed, left := c.existing(used.Set), Servers{used.Set, min(c.existing(used.Set).Count, c.Size)}
	other := c.existing(used.Set.Other())
	if c.Sets[other.Set].Workload != nil {
		removed, left = other, used
		p.Sets[other.Set].KeepsTemplate = true
	}
	p.setResize(v1alpha1.ResizeRemovingServers, removed, left)
	p.Proxies = 0
	for set, kept := range p.Sets {
		if kept.Exists {
			p.Sets[set].Replicas = c.existing(Set(set)).Count
		}
	}
	if !c.gone() || !c.elapsed(&p, observationDelay) {
		return p
	}
	switch {
	case c.Sets[other.Set].Workload != nil:
		p.Sets[other.Set] = DesiredSet{}
	case c.existing(used.Set).Count > used.Count:
		p.Sets[used.Set].Replicas = used.Count
	default:
		return c.direct(used.Set)
	}
	return p
}

// stops reports whether the cache loses its last servers. A stop that has removed servers, or has interrupted a change, ends before
// the cache starts again, and so does a Job: it would delete new items.
func (c change) stops() bool {
	d, workload := c.Proxies.Deployment, c.Sets[c.routes.Used().Set].Workload
	if c.Size > 0 {
		return d != nil && d.Replicas == 0 && (c.Copy != nil || c.routes.Phase != Steady || workload != nil && workload.Replicas == 0 && !c.emptied())
	}
	return d == nil || d.Replicas == 0 || c.MaxStep == 0 ||
		c.routes.Phase == Steady && c.step(c.routes.To.Count) == 0 && c.untilStep(c.record(c.revision, 0)) == 0
}

// stop returns the decision to stop all proxies, and then to remove all servers.
func (c change) stop() Plan {
	p, used := c.plan(), c.routes.Used()
	existing := Servers{used.Set, c.Sets[First].replicas() + c.Sets[Second].replicas()}
	switch {
	case c.stopped() && existing.Count == 0:
		p = c.planFor(steady(Servers{used.Set, 1})) // as for a new cache
	case c.stopped(): // a change has ended if no proxy runs
		p = c.planFor(steady(used))
	}
	for set := range p.Sets {
		if c.Size == 0 {
			p.Sets[set].Replicas = c.Sets[set].replicas()
		}
	}
	if existing.Count > 0 {
		p.setResize(v1alpha1.ResizeRemovingServers, existing, Servers{Set: used.Set})
	}
	if existing.Count == 0 || c.stopped() && c.elapsed(&p, observationDelay) {
		p.Sets = [2]DesiredSet{}
		p.Sets[used.Set].Exists = true
	}
	p.Proxies = 0
	if c.MaxStep > 0 {
		p.Scaling.Replicas = 0
	}
	if existing.Count == 0 {
		c.await(&p, c.serversRun()...)
	}
	return p
}
