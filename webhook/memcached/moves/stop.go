package moves

// This file has what follows when the proxies stop: spec has none any more, the size is 0, or servers of a deleted Memcached still serve.

// removeProxies returns what follows after spec has lost its proxies. The servers stay the same while a proxy may run. Then those that do not
// serve are removed, and the status of the proxies last: it says which servers serve.
func (c cache) removeProxies() outcome {
	existing, serving, routes := c.existing(), c.routes.Serving(), c.routes
	if c.proxiesDeleted() { // a move has ended if no proxy runs
		routes = steadyRoutes(poolOf(serving.Slots)) // the spare is no server of clients
	}
	o := outcome{routes: routes, run: existing, job: c.jobUnderWay(routes), stopProxies: true}
	others := existing.Count > 0 && existing != serving.Slots && existing.contains(serving.Slots)
	switch {
	case routes.Phase != Steady:
		o.report = c.report(routes)
	case others:
		o.report = removal(existing, serving.Slots)
	default:
		o.report = removal(existing, Range{existing.First, min(existing.Count, c.Size)})
	}
	if !c.proxiesDeleted() {
		return o
	}
	switch o.report.Until, o.wait = c.end(o.report.Phase, observationDelay); {
	case o.wait > 0:
	case others:
		o.run = serving.Slots
	default:
		return outcome{done: true}
	}
	return o
}

// hasBegun reports whether proxies are desired, and one of their servers has items. Proxies that are desired without such a server may have
// been decided on before the servers of a deleted Memcached were seen to stop.
func (c cache) hasBegun() bool {
	d, hasItems := c.Proxies.Deployment, false
	for _, server := range c.Servers {
		hasItems = hasItems || server.LiveWithItems
	}
	return d != nil && d.Replicas > 0 && hasItems
}

// startNoProxy runs no proxy while the servers may be those of a deleted Memcached.
func (c cache) startNoProxy(routes Routes, why string) outcome {
	return outcome{
		routes: routes, run: c.neededWith(routes), job: c.jobUnderWay(routes), report: waits(Move{routes.To, routes.To}, why), stopProxies: true,
		awaited: c.Predecessor,
	}
}

// mustStopAll reports whether the cache loses its last servers, or whether a stop ends before the cache starts again.
func (c cache) mustStopAll() bool {
	if c.Size == 0 {
		return c.losesLastServers()
	}
	return c.stopIsUnfinished()
}

// losesLastServers reports whether the size is 0, and no step is left before it, or no proxy is desired.
func (c cache) losesLastServers() bool {
	d := c.Proxies.Deployment
	return d == nil || d.Replicas == 0 || c.MaxStep == 0 ||
		c.routes.Phase == Steady && c.Step(c.routes.To.Slots.Count) == 0 && c.untilStep(c.revision) == 0
}

// stopIsUnfinished reports whether a stop has removed servers, or has interrupted a move, or whether a Job of before exists: it would delete new
// items.
func (c cache) stopIsUnfinished() bool {
	d := c.Proxies.Deployment
	removed := c.Workload != nil && c.Workload.Run.Count == 0 && c.routesOfRestart() == Routes{}
	return d != nil && d.Replicas == 0 && (c.Job != nil || c.routes.Phase != Steady || removed)
}

// stopAll stops all proxies, and then removes all servers.
func (c cache) stopAll() outcome {
	serving, existing, routes := c.routes.Serving(), c.existing(), c.routes
	switch {
	case c.proxiesStopped() && existing.Count == 0:
		routes = steadyRoutes(poolOf(Range{serving.Slots.First, 1})) // as for a new cache
	case c.proxiesStopped(): // a move has ended if no proxy runs
		routes = steadyRoutes(serving)
	}
	o, none := c.use(routes), Range{First: serving.Slots.First}
	o.stopProxies = true
	if existing.Count == 0 {
		o.run = none
		for _, server := range c.Servers {
			o.awaited = append(o.awaited, server.Pod)
		}
		return o
	}
	if c.Size == 0 {
		o.run = existing
	}
	if routes.Phase == Steady {
		o.report = removal(existing, none)
	}
	if c.proxiesStopped() {
		if o.report.Until, o.wait = c.end(o.report.Phase, observationDelay); o.wait == 0 {
			o.run = none
		}
	}
	return o
}
