//go:build !race

package moves

// calm returns the world after a sync and a step of each controller, without any fault.
func (s *space) calm(w world) world {
	w.before = 0
	next := s.apply(w, s.observation(w, false, 0, noFault), whole, false)
	next.updateOne(s)
	next.rollOne(s)
	next.use()
	next.endJob()
	next.pass()
	return next
}

// updateOne stops a server that is not desired, or restarts one that has an earlier template. The current revision follows.
func (w *world) updateOne(s *space) {
	for i := window - 1; i >= 0; i-- {
		if w.exposed(i) && !w.servers[i].lost {
			w.servers[i] = serverWorld{exists: true, template: w.set.template, starting: s.outages}
			break
		}
	}
	for i := window - 1; i >= 0; i-- {
		server := &w.servers[i]
		if server.lost {
			continue
		}
		server.starting = server.starting && w.breaks(*server)
		if server.stops && (w.cold || !w.connected(int32(i))) {
			*server = serverWorld{exists: true, template: w.set.restarts(i)}
		}
		if server.exists && !w.set.run().Has(int32(i)) {
			*server = serverWorld{}
			break
		}
	}
	if w.updated() {
		w.set.current = w.set.template
	}
}

// endJob completes a Job. Somebody deletes one that has failed and that a decrease waits for.
func (w *world) endJob() {
	switch job := w.copy; {
	case job.state == copyRuns:
		w.copy.state = copyComplete
	case job.state == jobFailed && phaseOrder[job.routes.phase] == Announcing:
		w.copy = copyWorld{}
	}
}

// rollOne stops those proxies that are being deleted, and starts or deletes one proxy, as a Deployment does. If none is desired, it deletes
// all.
func (w *world) rollOne(s *space) {
	d := w.deployment
	for i := range w.pods {
		if w.pods[i].deleted {
			w.pods[i] = podWorld{}
		}
	}
	if !d.exists || d.replicas == 0 {
		for i := range w.pods {
			w.pods[i].deleted = w.pods[i].exists
		}
		return
	}
	w.reachAll()
	free, live, updated := w.countProxies()
	if updated < d.replicas && live < 2*d.replicas && free >= 0 {
		w.pods[free] = podWorld{exists: true, routes: d.routes, available: !s.outages}
		return
	}
	for i, pod := range w.pods {
		if w.replaces(pod) || live > d.replicas && updated == live && pod.exists && !pod.deleted {
			w.pods[i].deleted = true
			return
		}
	}
}

// reached reports whether the desired state is reached.
func (s *space) reached(w world) bool {
	set, d := w.set, w.deployment
	if set.template != w.template || set.partition != 0 || set.replicas != w.size || !w.updated() || w.status.phase != 0 || w.desired != w.status.proxy || d.exists != w.desired || w.copy.exists {
		return false
	}
	if w.size == 0 {
		return d.replicas == 0
	}
	return !w.desired || w.allAvailable() && d.replicas == proxies && phaseOrder[d.routes.phase] == Steady && d.routes.to == worldOfServers(set.run())
}

// converge checks that every state leads to the desired state, which then stays.
func (x *exploration) converge() {
	good := newNumbered[world]()
	for number, w := range x.worlds.values {
		path := []world{}
		for at := x.normal(x.repaired(w)); !good.has(at); {
			if len(path) > 300 {
				x.Errorf("does not reach the desired state:\n%s\nthen %s\n%s", x.trace(int32(number)), path[len(path)-2], path[len(path)-1])
				return
			}
			path = append(path, at)
			raw := x.calm(at)
			next := x.normal(raw)
			if next == at {
				if !x.reached(raw) && !raw.reachedWithout() {
					x.Errorf("stays in another state than the desired one:\n%s\n%s", x.trace(int32(number)), at)
					return
				}
				if again := x.calm(raw); again != raw {
					x.Errorf("writes again in the desired state:\n%s\n%s\n%s", x.trace(int32(number)), raw, again)
					return
				}
				good.add(at)
			}
			at = next
		}
		for _, at := range path {
			good.add(at)
		}
	}
}
