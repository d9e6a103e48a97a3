package moves

// This file has what follows when the proxies stop: spec has none any more, the size is 0, or servers of a deleted Memcached still serve.

// removeProxies returns what follows after spec has lost its proxies. The servers stay the same, and keep their template, while a proxy may run. Then
// those that do not serve are removed, and the status of the proxies last: it says which servers serve.
func (s situation) removeProxies() outcome {
	existing, serving, routes := s.existingOrdinals(), s.current.Serving(), s.current
	if s.proxiesDeleted() { // a move has ended if no proxy runs
		routes = steadyRoutes(poolOf(serving.Slots)) // the spare is no server of clients
	}
	kept := Range{existing.First, min(existing.Count, s.Size)}
	others := existing.Count > 0 && existing != serving.Slots && existing.contains(serving.Slots)
	if others {
		kept = serving.Slots
	}
	o := s.rollOut(routes)
	o.stopProxies, o.ordinals, o.report, o.job = true, existing, removal(existing, kept), DesiredJob{}
	if !s.proxiesDeleted() {
		return o
	}
	o = s.removeLater(o, kept)
	o.done = o.wait == 0 && !others
	return o
}

// predecessorObstacle returns why no proxy may start yet: it would find the items of a deleted Memcached, whose servers run or may run.
func (s situation) predecessorObstacle() Obstacle {
	switch {
	case s.Size > 0 && len(s.PredecessorPods) > 0 && !s.hasBegun():
		return PredecessorPods
	case s.Size > 0 && s.HasOrphans && s.current.Phase == Steady:
		return NoStatefulSet
	}
	return NoObstacle
}

// hasBegun reports whether proxies are desired, and one of their servers has items. Proxies that are desired without such a server may have
// been decided on before the servers of a deleted Memcached were seen to stop.
func (s situation) hasBegun() bool {
	d, hasItems := s.Proxies.Deployment, false
	for _, server := range s.Servers {
		hasItems = hasItems || server.State.liveWithItems()
	}
	return d != nil && d.Replicas > 0 && hasItems
}

// startsBesideOthers reports whether the first proxies are about to start, and others may run with other routes, such as those that the
// Deployment of a deleted Memcached has started in the same second.
func (s situation) startsBesideOthers() bool {
	d := s.Proxies.Deployment
	return d != nil && d.Replicas == 0 && s.othersRun(s.current)
}

// startNoProxy runs no proxy while the servers may be those of a deleted Memcached, or proxies with other routes may run.
func (s situation) startNoProxy(why Obstacle) outcome {
	routes := s.current
	if why == PredecessorPods {
		routes = s.routesOfNew()
	}
	o := s.rollOut(routes)
	o.stopProxies, o.report, o.awaited = true, waits(Move{routes.To, routes.To}, why), s.PredecessorPods
	return o
}

// losesLastServers reports whether no step is possible before size 0, or no proxy is desired. While a spare has the slot of a pod that does
// not end, there is no smaller step.
func (s situation) losesLastServers() bool {
	if d := s.Proxies.Deployment; d == nil || d.Replicas == 0 || s.MaxStep == 0 {
		return true
	}
	isLastStep := s.SizeAfterStep(s.current.To.Slots.Count) == 0 || s.withReturned(s.current.To).HasSpares()
	return s.current.Phase == Steady && isLastStep && s.untilStep(s.revision) == 0
}

// stopIsUnfinished reports whether a stop has removed servers, or has interrupted a move, or whether a Job of before exists: it would
// delete new items.
func (s situation) stopIsUnfinished() bool {
	d := s.Proxies.Deployment
	removed := s.Workload != nil && s.Workload.Ordinals.Count == 0 && s.routesOfRestart() == Routes{}
	return d != nil && d.Replicas == 0 && (s.Job != nil || s.current.Phase != Steady || removed)
}

// stopAll stops all proxies, and then removes all servers if the size is 0.
func (s situation) stopAll() outcome {
	serving, existing, routes := s.current.Serving(), s.existingOrdinals(), s.current
	switch {
	case s.proxiesStopped() && existing.Count == 0:
		routes = steadyRoutes(poolOf(Range{serving.Slots.First, 1})) // as for a new cache
	case s.proxiesStopped(): // a move has ended if no proxy runs
		routes = steadyRoutes(serving)
	}
	o, none := s.rollOut(routes), Range{First: serving.Slots.First}
	o.stopProxies = true
	if existing.Count == 0 {
		o.ordinals = none
		for _, server := range s.Servers {
			o.awaited = append(o.awaited, server.Pod)
		}
		return o
	}
	if s.Size > 0 { // the servers stay, and proxies start when no Job is left
		o.report = waits(routes.Move, EarlierProxies)
		return o
	}
	o.ordinals, o.report = existing, removal(existing, none)
	if s.proxiesStopped() {
		return s.removeLater(o, none)
	}
	return o
}
