package moves

import "slices"

// maxTemplates is the number of pod templates: the one of pods in use, the one of an edit, and that of another edit.
const maxTemplates = 3

// templateEvents edits the pod template in spec: to a new one, or back.
func (s *space) templateEvents(w world, yield func(name string, next world)) {
	for template := range s.templates {
		if template != w.template {
			next := w
			next.template = template
			s.keep(&next, w, "parent")
			yield("the template is edited", next)
		}
	}
}

// serverEvents stops and restarts servers. The StatefulSet starts servers immediately, because syncs also observe that none is ready. A
// rollout restarts those that have an earlier template, but for the first ones of partition.
func (s *space) serverEvents(w world, yield func(name string, next world)) {
	for i, server := range w.servers {
		if !server.exists {
			continue
		}
		s.nodeEvents(w, i, yield)
		event, after := s.serverEvent(w, i)
		if event == "" {
			continue
		}
		next := w
		next.servers[i] = after
		if after.stops && !server.stops && w.evicts(i) {
			next.evictions--
		}
		s.keep(&next, w, "pods")
		yield(event, next)
	}
	if s.templates > 0 && w.set.current != w.set.template && w.updated() {
		next := w
		next.set.current = w.set.template
		yield("the current revision is that of all pods", next)
	}
}

// serverEvent returns what happens to a server, and the server afterwards; "" if nothing can happen. With stops, each one is being deleted first, and
// then serves on while a proxy is connected to it.
func (s *space) serverEvent(w world, i int) (event string, after serverWorld) {
	server := w.servers[i]
	switch {
	case server.lost:
		return "", server
	case server.starting && !server.stops && !w.breaks(server):
		server.starting = false
		return "a server gets ready", server
	case s.stops && !server.stops:
		if w.evicts(i) && w.evictions == 0 {
			return "", server
		}
		server.stops = true
		return "a server is being deleted", server
	}
	return s.stopEvent(w, i)
}

// evicts reports whether somebody deletes a server, and not the StatefulSet controller.
func (w *world) evicts(i int) bool { return w.set.run().Has(int32(i)) && !w.exposed(i) }

// stopEvent returns how a server ends or fails, and the server afterwards; "" if nothing can happen.
func (s *space) stopEvent(w world, i int) (event string, after serverWorld) {
	server := w.servers[i]
	switch {
	case server.stops && !server.starting && !s.kills && w.connected(int32(i)):
		return "", server
	case !w.set.run().Has(int32(i)):
		return "a server stops", serverWorld{}
	case server.stops || s.templates > 0 && (s.restarts || w.exposed(i)):
		return "a server stops", serverWorld{exists: true, template: w.set.restarts(i), starting: s.stops || s.nodes > 0 || s.outages}
	}
	return s.failure(server)
}

// connected reports whether a proxy that runs is connected to a server. Then its pod, which is being deleted, does not end.
func (w *world) connected(ordinal int32) bool {
	return slices.ContainsFunc(w.running(), func(pod podWorld) bool {
		r := pod.routes.routes()
		return r.From.Has(ordinal) || r.Phase != Announcing && r.To.Has(ordinal)
	})
}

// updated reports whether exactly the desired servers exist, and all have the template of the StatefulSet.
func (w *world) updated() bool {
	for i, server := range w.servers {
		if desired := w.set.run().Has(int32(i)); desired != server.exists || desired && server.template != w.set.template {
			return false
		}
	}
	return w.set.exists
}

// exposed reports whether the StatefulSet controller restarts a server because it has an earlier template.
func (w *world) exposed(i int) bool {
	return w.servers[i].exists && w.set.run().Has(int32(i)) && i >= int(w.set.start+w.set.partition) && w.servers[i].template != w.set.template
}

// scale creates or updates the StatefulSet.
func (s *space) scale(next *world, w world, run serversWorld, partition, template int8) {
	to, older := setWorld{exists: true, start: run.first, replicas: run.count, partition: partition, template: template, current: w.set.current}, int8(1)
	if !w.set.exists {
		to.current, older = template, 2 // another object
	}
	if to == w.set {
		return
	}
	next.set = to
	for i := range next.servers {
		if to.run().Has(int32(i)) && !next.servers[i].exists {
			next.servers[i] = serverWorld{exists: true, template: to.restarts(i), starting: s.stops || s.nodes > 0 || s.outages}
		}
	}
	next.status.age(workloadObject, older)
	s.keep(next, w, "workload")
}

// shift moves all ordinals.
func (o *objects) shift(by int8) {
	move := func(servers *serversWorld) {
		if servers.count > 0 {
			servers.first += by
		}
		for i, spare := range servers.spares {
			if spare != (spareWorld{}) {
				servers.spares[i] = spareWorld{spare.absent + by, spare.ordinal + by}
			}
		}
	}
	routes := func(r *routesWorld) { move(&r.from); move(&r.to) }
	if o.set.exists {
		o.set.start += by
	}
	move(&o.status.recorded)
	routes(&o.status.routes)
	routes(&o.deployment.routes)
	routes(&o.copy.routes)
	for i := range o.pods {
		routes(&o.pods[i].routes)
	}
	servers := o.servers
	o.servers = [window]serverWorld{}
	for i, server := range servers {
		if server.exists {
			o.servers[i+int(by)] = server
		}
	}
}

// lowest returns the lowest ordinal of routes and of the StatefulSet, and the lowest one of a server.
func (o *objects) lowest() (named, exists int8) {
	named, exists = window, window
	note := func(r routesWorld) {
		if r.from.count > 0 {
			named = min(named, r.from.first, r.to.first)
		}
	}
	if o.set.exists {
		named = o.set.start
	}
	if o.status.recorded.count > 0 {
		named = min(named, o.status.recorded.first)
	}
	note(o.status.routes)
	note(o.deployment.routes)
	note(o.copy.routes)
	for _, pod := range o.pods {
		note(pod.routes)
	}
	for i := window - 1; i >= 0; i-- {
		if o.servers[i].exists {
			exists = int8(i)
		}
	}
	return named, exists
}

// normalSet returns the same world with the lowest ordinals, and with the templates in the order in which they are found. Servers that have
// been stopping since the move before the last one have stopped.
func (s *space) normalSet(w world) world {
	if s.templates == 0 && s.nodes == 0 {
		return w
	}
	var before snapshot
	named, exists := w.lowest()
	if w.before != 0 {
		before = s.snapshots.values[w.before-1]
		alsoNamed, alsoExists := before.lowest()
		named, exists = min(named, alsoNamed), min(exists, alsoExists)
	}
	for _, o := range []*objects{&w.objects, &before} {
		for i := range o.servers {
			if i < int(named-s.sizes) {
				o.servers[i] = serverWorld{}
			}
		}
	}
	if by := min(named, max(exists, named-s.sizes)); by > 0 && by < window {
		w.shift(-by)
		before.shift(-by)
	}
	if names := [maxTemplates]int8{-1, -1, -1}; !s.outages {
		w.rename(&names, true)
		before.rename(&names, s.late == "parent")
	}
	if w.before != 0 {
		w.before = s.number(before)
	}
	return w
}

// rename renames the templates, each that has no name yet to the next one.
func (o *objects) rename(names *[maxTemplates]int8, parent bool) {
	rename := func(template *int8) {
		if names[*template] < 0 {
			names[*template] = max(names[0], names[1], names[2]) + 1
		}
		*template = names[*template]
	}
	if parent {
		rename(&o.template)
	}
	if o.set.exists {
		rename(&o.set.template)
		rename(&o.set.current)
	}
	for i := range o.servers {
		if o.servers[i].exists {
			rename(&o.servers[i].template)
		}
	}
}
