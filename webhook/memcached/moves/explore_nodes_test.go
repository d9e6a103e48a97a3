package moves

import "slices"

// nodeEvents lets the node of a server not respond, until its pod is being deleted. The server runs on, and its node responds again, or it dies with
// its node, and its pod ends when the node starts again or is deleted.
func (s *space) nodeEvents(w world, i int, yield func(name string, next world)) {
	server := w.servers[i]
	change := func(name string, server serverWorld) {
		next := w
		next.servers[i] = server
		s.keep(&next, w, "pods")
		yield(name, next)
	}
	if !server.lost {
		lost := server
		lost.stops, lost.lost = true, true
		if w.nodes > 0 {
			w.nodes--
			change("a node does not respond", lost)
		}
		return
	}
	if !server.starting {
		back, dead := server, server
		back.lost, dead.used, dead.starting = false, false, true
		change("a node responds again", back)
		change("a server dies with its node", dead)
		return
	}
	ended := serverWorld{}
	if w.set.run().Has(int32(i)) {
		ended = serverWorld{exists: true, template: w.set.restarts(i), starting: true}
	}
	change("the pod of a lost server ends", ended)
}

func (w *world) anyStuck() bool {
	return slices.ContainsFunc(w.servers[:], func(server serverWorld) bool { return server.lost })
}

// serves reports whether a server is as desired.
func (w *world) serves(ordinal int32) bool {
	server := w.servers[ordinal]
	return server.exists && !server.stops && !server.starting && server.template == w.template
}

// reachedWithout reports whether the desired state is reached, but for servers whose nodes do not respond: spares have their slots.
func (w *world) reachedWithout() bool {
	d, pool := w.deployment, w.deployment.routes.to.pool()
	lostOwn := func(spare Spare) bool { return w.servers[spare.For].lost }
	if !w.desired || !w.anyStuck() || w.status.phase != 0 || w.copy.exists || w.set.template != w.template {
		return false
	}
	if w.size == 0 {
		return w.set.replicas == 0 && d.replicas == 0
	}
	return w.set.run() == pool.Span() && d.replicas == proxies && phaseOrder[d.routes.phase] == Steady && w.allAvailable() &&
		pool.Slots.Count == int32(w.size) &&
		!slices.ContainsFunc(pool.BySlot(), func(ordinal int32) bool { return !w.serves(ordinal) }) &&
		!slices.ContainsFunc(pool.Spares(), func(spare Spare) bool { return !lostOwn(spare) })
}
