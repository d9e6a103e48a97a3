package moves

// events calls yield with each event that may follow.
func (s *space) events(w world, yield func(name string, next world)) {
	s.specEvents(w, yield)
	next := w
	next.pass()
	yield("time passes", next)
	s.serverEvents(w, yield)
	s.breakEvent(w, yield)
	s.proxyEvents(w, yield)
	if s.losses {
		next := w
		next.status = lostStatus
		yield("status is lost", next)
		yield("status is restored", w.restored())
	}
	s.copyEvents(w, yield)
	s.foreignEvents(w, yield)
	s.syncs(w, yield)
}

// specEvents edits spec.
func (s *space) specEvents(w world, yield func(name string, next world)) {
	for size := s.least; size <= s.sizes; size++ {
		if size != w.size {
			next := w
			next.size = size
			s.keep(&next, w, "parent")
			yield("the size is edited", next)
		}
	}
	if s.switches {
		next := w
		next.desired = !w.desired
		s.keep(&next, w, "parent")
		yield("proxies are switched", next)
	}
	if s.warmups {
		next := w
		next.cold = !w.cold
		s.keep(&next, w, "parent")
		yield("the warm-up is switched", next)
	}
	if s.templates > 0 {
		s.templateEvents(w, yield)
	}
}

// foreignEvents edits or deletes children by hand.
func (s *space) foreignEvents(w world, yield func(name string, next world)) {
	if s.deletions && w.set.exists {
		next := w
		next.set = setWorld{}
		next.status.age(workloadObject, 2)
		yield("somebody deletes the StatefulSet", next)
	}
	if s.deletions && w.deployment.exists {
		next := w
		next.deployment = deploymentWorld{}
		next.ageDeployment(2)
		for i := range next.pods {
			next.pods[i].deleted = next.pods[i].exists
		}
		yield("somebody deletes the Deployment", next)
	}
	if !s.edits || !w.deployment.exists || !w.same() { // one edit at a time, or any routes could run side by side
		return
	}
	routes := w.deployment.routes
	for _, edited := range []routesWorld{{}, {routes.from, routes.from, 0}, {routes.to, routes.to, 0}} {
		if edited != routes {
			next := w
			next.deployment.routes = edited
			next.ageDeployment(1)
			yield("somebody edits the label of the proxies", next)
		}
	}
	for replicas := range w.deployment.replicas {
		next := w
		next.deployment.replicas = replicas
		yield("somebody scales the proxies", next)
	}
}

// same reports whether all proxies have the routes of the Deployment.
func (w *world) same() bool {
	for _, pod := range w.pods {
		if pod.exists && pod.routes != w.deployment.routes {
			return false
		}
	}
	return true
}

// restored returns the world after the restore of a status of an earlier rollout with the same servers, whose times have
// passed.
func (w world) restored() world {
	status := &w.status
	if status.proxy && w.deployment.exists {
		r := w.deployment.routes
		status.routes, status.until, status.revision = r, past, -2
		status.record(phaseReport(r.routes()).status(nil, noon))
		if phaseOrder[r.phase] == Steady {
			status.record(removal(r.routes().To.Span().join(w.set.run()), r.routes().To.Span()).status(nil, noon))
		}
	}
	if status.scaling {
		status.step, status.scalingRev = past, -2
	}
	return w
}

// keep keeps the state before a change of an object that is observed late.
func (s *space) keep(next *world, w world, kind string) {
	if s.late != kind {
		return
	}
	var b snapshot
	switch kind {
	case "parent":
		b.size, b.desired, b.cold, b.template, b.status = w.size, w.desired, w.cold, w.template, w.status
	case "workload":
		b.set = w.set
		b.set.revision = -1
	case "deployment":
		b.deployment = w.deployment
		b.deployment.revision = -1
		b.deployment.updated, b.deployment.rolledOut = w.rolledOut(), w.rolledOut() && w.allAvailable()
	case "pods":
		b.servers, b.pods = w.servers, w.pods
	case "job":
		b.copy = w.copy
	}
	next.before = s.number(b)
}

// number returns the number of a snapshot.
func (s *space) number(b snapshot) int32 {
	number, _ := s.snapshots.add(b)
	return number + 1
}

// proxyEvents starts and stops proxies. They run as soon as they exist, because syncs also observe that they are not available.
func (s *space) proxyEvents(w world, yield func(name string, next world)) {
	change := func(name string, i int, pod podWorld) {
		next := w
		next.pods[i] = pod
		next.use()
		s.keep(&next, w, "pods")
		yield(name, next)
	}
	free, live, updated := w.countProxies()
	replicas := int8(0)
	if w.deployment.exists {
		replicas = w.deployment.replicas
	}
	if free >= 0 && updated < replicas && live < 2*replicas { // maxSurge is 100%
		change("a proxy starts", free, podWorld{exists: true, routes: w.deployment.routes, available: !s.outages})
	}
	for i, pod := range w.pods {
		if pod.exists && !pod.deleted && !pod.available && w.reaches(pod.routes) {
			reached := pod
			reached.available = true
			change("a proxy reaches a server", i, reached)
		}
		switch {
		case !pod.exists || i > 0 && pod == w.pods[i-1]: // the event is the same for equal proxies
		case pod.deleted:
			change("a proxy stops", i, podWorld{})
		case w.replaces(pod):
			pod.deleted = true
			change("a proxy is deleted", i, pod)
		}
	}
}

// countProxies returns a free place for a proxy, -1 if there is none, and how many proxies are not deleted and are updated.
func (w world) countProxies() (free int, live, updated int8) {
	free = -1
	for i, pod := range w.pods {
		switch {
		case !pod.exists:
			free = i
		case !pod.deleted:
			live++
			updated += int8(bit(pod.routes == w.deployment.routes))
		}
	}
	return free, live, updated
}
