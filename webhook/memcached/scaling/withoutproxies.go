package scaling

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

// removeProxies returns the decision after spec has lost its proxies. The servers stay the same while a proxy may run. Then those that do not
// serve are removed, and the status of the proxies last: it says which servers serve.
func (c current) removeProxies() outcome {
	existing, serving, routes := c.existing(), c.routes.Serving(), c.routes
	if c.gone() { // a move has ended if no proxy runs
		routes = steadyRoutes(poolOf(serving.Slots)) // the spare is no server of clients
	}
	o := outcome{Decision: Decision{Routes: routes, Run: existing, Report: c.reportOf(routes), Job: c.keepJob(routes)}, withoutProxies: true}
	others := existing.Count > 0 && existing != serving.Slots && existing.contains(serving.Slots)
	switch {
	case routes.Phase != Steady:
	case others:
		o.Report = removal(existing, serving.Slots)
	default:
		o.Report = removal(existing, Range{existing.First, min(existing.Count, c.Size)})
	}
	if !c.gone() {
		return o
	}
	switch o.Wait = c.setEnd(&o.Report, observationDelay); {
	case o.Wait > 0:
	case others:
		o.Run = serving.Slots
	default:
		return outcome{done: true}
	}
	return o
}

// hasBegun reports whether proxies are desired, and one of their servers has items. Proxies that are desired without such a server may have
// been decided on before the servers of a deleted Memcached were seen to stop.
func (c current) hasBegun() bool {
	d, hasItems := c.Proxies.Deployment, false
	for _, server := range c.Servers {
		hasItems = hasItems || server.HasItems
	}
	return d != nil && d.Replicas > 0 && hasItems
}

// awaitPredecessor returns the decision to run no proxy before the servers of a deleted Memcached have stopped.
func (c current) awaitPredecessor(routes Routes) outcome {
	o := c.enter(routes)
	o.withoutProxies, o.Report = true, Report{Phase: v1alpha1.MoveWaiting, From: routes.To, To: routes.To}
	return o
}

// mustStopAll reports whether the cache loses its last servers. A stop that has removed servers, or has interrupted a move, ends before
// the cache starts again, and so does a Job: it would delete new items.
func (c current) mustStopAll() bool {
	d := c.Proxies.Deployment
	if c.Size > 0 {
		removed := c.Workload != nil && c.Workload.Run.Count == 0 && c.restartsEmpty() == Routes{}
		return d != nil && d.Replicas == 0 && (c.Job != nil || c.routes.Phase != Steady || removed)
	}
	return d == nil || d.Replicas == 0 || c.MaxStep == 0 ||
		c.routes.Phase == Steady && c.Step(c.routes.To.Slots.Count) == 0 && c.untilStep(c.stepStatus(c.revision, 0)) == 0
}

// stopAll returns the decision to stop all proxies, and then to remove all servers.
func (c current) stopAll() outcome {
	serving, existing, routes := c.routes.Serving(), c.existing(), c.routes
	switch {
	case c.noProxyRuns() && existing.Count == 0:
		routes = steadyRoutes(poolOf(Range{serving.Slots.First, 1})) // as for a new cache
	case c.noProxyRuns(): // a move has ended if no proxy runs
		routes = steadyRoutes(serving)
	}
	o := outcome{Decision: Decision{Routes: routes, Run: existing, Report: c.reportOf(routes), Job: c.keepJob(routes)}, withoutProxies: true}
	none := Range{First: serving.Slots.First}
	switch {
	case existing.Count == 0:
		o.Run = none
		for _, server := range c.Servers {
			o.awaited = append(o.awaited, server.Pod)
		}
	case c.Size > 0:
		o.Run = c.neededWith(routes)
	}
	if existing.Count > 0 && routes.Phase == Steady {
		o.Report = removal(existing, none)
	}
	if existing.Count > 0 && c.noProxyRuns() {
		if o.Wait = c.setEnd(&o.Report, observationDelay); o.Wait == 0 {
			o.Run = none
		}
	}
	return o
}
