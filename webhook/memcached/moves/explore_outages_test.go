package moves

import "slices"

// brokenTemplate is the pod template that may break, with outages.
const brokenTemplate = 1

func (w *world) breaks(server serverWorld) bool {
	return w.broken && server.template == brokenTemplate
}

// failure returns the failure of a server, and the server afterwards; "" if it cannot fail. With templates, only all servers of one fail.
func (s *space) failure(server serverWorld) (event string, after serverWorld) {
	if !s.outages || s.templates > 0 || server.starting {
		return "", server
	}
	return "a server fails", serverWorld{exists: true, template: server.template, starting: true}
}

// breakEvent breaks a template, and all servers that have it.
func (s *space) breakEvent(w world, yield func(name string, next world)) {
	if !s.outages || s.templates < 2 || w.broken {
		return
	}
	next := w
	next.broken = true
	for i, server := range w.servers {
		if server.exists && next.breaks(server) {
			next.servers[i].starting, next.servers[i].used = true, false
		}
	}
	s.keep(&next, w, "pods")
	yield("a template breaks", next)
}

// repaired returns the world after somebody has replaced a broken template. Every state leads to the desired state from there.
func (s *space) repaired(w world) world {
	if w.broken && w.template == brokenTemplate {
		w.template = 2 * (s.templates - 2) // the first one, or a third one
	}
	return w
}

// reaches reports whether a proxy finds all servers of some key ready: the one of its slot, and after AddingServers also the one of its slot
// after the move.
func (w *world) reaches(routes routesWorld) bool {
	r := routes.routes()
	serves := func(ordinal int32) bool {
		return w.servers[ordinal].exists && !w.servers[ordinal].starting
	}
	if r.From.Slots.Count == 0 {
		return false
	}
	for before, from := range r.From.BySlot() {
		for after, to := range r.To.BySlot() {
			moves := before != after && (after >= int(r.From.Slots.Count) || before >= int(r.To.Slots.Count))
			switch {
			case !serves(from):
			case r.Phase == Steady || r.Phase == Announcing, (before == after || moves) && serves(to):
				return true
			}
		}
	}
	return false
}

// reachAll lets all proxies find the servers that are ready.
func (w *world) reachAll() {
	for i, pod := range w.pods {
		w.pods[i].available = pod.available || pod.exists && w.reaches(pod.routes)
	}
}

// allAvailable reports whether all proxies are available that are not being deleted.
func (w *world) allAvailable() bool {
	return !slices.ContainsFunc(w.pods[:], func(pod podWorld) bool { return pod.exists && !pod.deleted && !pod.available })
}

// replaces reports whether the Deployment controller stops a proxy. It keeps as many available ones as desired, unless proxies cannot reach a
// server. See reconcileOldReplicaSets in https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/rolling.go
func (w *world) replaces(pod podWorld) bool {
	d, minimum := w.deployment, int8(0)
	switch {
	case !pod.exists || pod.deleted:
		return false
	case !d.exists || d.replicas == 0:
		return true
	case pod.routes == d.routes:
		return false
	case !d.unreached:
		minimum = d.replicas
	}
	var live, waiting, available int8
	for _, each := range w.pods {
		if each.exists && !each.deleted {
			live++
			available += int8(bit(each.available))
			waiting += int8(bit(!each.available && each.routes == d.routes))
		}
	}
	return live-minimum-waiting > 0 && (!pod.available || available > minimum)
}
