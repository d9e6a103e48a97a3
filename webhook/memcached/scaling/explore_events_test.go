package scaling

import (
	"slices"
)

// space is one configuration that is explored.
type space struct {
	sizes   int8 // sizes 0 to sizes
	maxStep int8
	warmup  int16
	// clocks are how far the clocks of hooks are off, in seconds.
	clocks []int16
	// late is the kind of object that one sync observes as it was before its last change; "" for none.
	late string
	// losses lets status get lost or restored.
	losses bool
	// failures lets syncs fail halfway.
	failures bool
	// switches switches proxies on and off.
	switches bool
	// unobserved lets syncs not observe the StatefulSet or the Deployment.
	unobserved bool

	snapshots []snapshot
	numbers   map[snapshot]int32
}

// forgets reports whether the Deployment is always observed, so that a status of another rollout has no influence.
func (s *space) forgets() bool {
	return !s.losses && !s.unobserved && !s.switches && s.late != "parent"
}

// events calls yield with each event that may follow.
func (s *space) events(w world, yield func(name string, next world)) {
	for size := range s.sizes + 1 {
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
	next := w
	next.pass()
	yield("time passes", next)
	next.endMarks()
	yield("a long time passes", next)
	s.serverEvents(w, yield)
	s.proxyEvents(w, yield)
	if s.losses && w.status.exists {
		next := w
		next.status = statusWorld{until: never, step: never}
		yield("status is lost", next)
		if restored, changed := w.restored(); changed {
			yield("status is restored", restored)
		}
	}
	s.syncs(w, yield)
}

// restored returns the world after the restore of a status of an earlier rollout with the same lists, whose times have
// passed.
func (w world) restored() (world, bool) {
	next := w
	status := &next.status
	if status.proxy && w.deployment.exists {
		r := w.deployment.routes
		status.routes, status.from, status.to, status.until, status.revision = r, r.from, r.to, past, -2
		status.phase = int8(slices.Index(resizePhases, phases[phaseOrder[r.phase]]))
		if phaseOrder[r.phase] == Steady {
			status.phase, status.from = int8(len(resizePhases)-1), max(w.workload.replicas, r.to)
		}
	}
	if status.scaling {
		status.step, status.scalingRev = past, -2
	}
	return next, next != w
}

// keep keeps the state before a change of an object that is observed late.
func (s *space) keep(next *world, w world, kind string) {
	if s.late != kind {
		return
	}
	var b snapshot
	switch kind {
	case "parent":
		b.size, b.desired, b.status = w.size, w.desired, w.status
	case "workload":
		b.workload = w.workload
		b.workload.revision--
	case "deployment":
		b.deployment = w.deployment
		b.deployment.revision--
		b.deployment.rolledOut = w.rolledOut()
	case "pods":
		b.servers, b.pods = w.servers, w.pods
	}
	number, found := s.numbers[b]
	if !found {
		s.snapshots = append(s.snapshots, b)
		number = int32(len(s.snapshots))
		s.numbers[b] = number
	}
	next.before = number
}

// serverEvents stops servers. The StatefulSet starts servers immediately, because syncs also observe that none is ready.
func (s *space) serverEvents(w world, yield func(name string, next world)) {
	for i, server := range w.servers {
		if server.exists && int8(i) >= w.workload.replicas {
			next := w
			next.servers[i] = serverWorld{}
			next.forgetMarks()
			s.keep(&next, w, "pods")
			yield("a server stops", next)
		}
	}
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
	if free >= 0 && updated < replicas && live <= replicas {
		change("a proxy starts", free, podWorld{exists: true, routes: w.deployment.routes})
	}
	for i, pod := range w.pods {
		switch {
		case !pod.exists || i > 0 && pod == w.pods[i-1]: // the event is the same for equal proxies
		case pod.deleted:
			change("a proxy stops", i, podWorld{})
		case live > replicas && (replicas == 0 || pod.routes != w.deployment.routes):
			pod.deleted, pod.end = true, grace
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

// use marks the servers that running proxies use.
func (w *world) use() {
	for _, pod := range w.pods {
		r := pod.routes.routes()
		for i := range w.servers {
			if pod.exists && (int32(i) < r.Used() || (r.Phase == Warming || r.Phase == Closing) && int32(i) < r.Longest()) {
				w.servers[i].used = w.servers[i].exists
			}
		}
		if pod.exists && (r.Phase == Warming || r.Phase == Closing) && r.grows() && pod.routes.marks > w.marks {
			w.marks = pod.routes.marks
		}
	}
	w.forgetMarks()
}

// forgetMarks ends all marks if no server can have one.
func (w *world) forgetMarks() {
	for _, server := range w.servers {
		if server.used {
			return
		}
	}
	w.marks = never
}

func (w world) rolledOut() bool {
	live := int8(0)
	for _, pod := range w.pods {
		if pod.exists && !pod.deleted {
			live++
			if pod.routes != w.deployment.routes {
				return false
			}
		}
	}
	return live == w.deployment.replicas
}
