package scaling

import (
	"cmp"
	"fmt"
	"strings"
)

// check returns the invariant that the step from one world to the next violates; "" if there is none.
func (s *space) check(name string, w, next world) string {
	if s.violated != "" {
		return s.violated
	}
	if strings.HasPrefix(name, "somebody") {
		return ""
	}
	if problem := cmp.Or(checkRemoval(w, next), s.checkCopy(name, w, next)); problem != "" || s.edits { // routes that somebody edits need not follow those before
		return problem
	}
	if s.late == "" && w.size == 0 && w.workload.exists && w.workload.replicas == 0 && w.deployment.replicas == 0 && next.workload.replicas > 0 {
		return "no server starts at size 0 once the proxies have stopped"
	}
	if problem := s.checkNeighbours(next.running()); problem != "" {
		return problem
	}
	if next.deployment == w.deployment || !next.deployment.exists || !w.deployment.exists {
		return ""
	}
	return s.checkRoutes(w, w.deployment.routes, next.deployment.routes)
}

// checkNeighbours checks the routes of proxies that run side by side.
func (s *space) checkNeighbours(running []podWorld) string {
	for i, a := range running {
		for _, b := range running[:i] {
			if !s.neighbours(a.routes, b.routes) && !s.neighbours(b.routes, a.routes) {
				return fmt.Sprintf("proxies that run side by side are neighbours: %v, %v", a.routes, b.routes)
			}
		}
	}
	return ""
}

// checkRemoval checks the invariants of the number of servers.
func checkRemoval(w, next world) string {
	after := int32(next.workload.replicas)
	if next.workload.replicas >= w.workload.replicas {
		return ""
	}
	for _, pod := range w.running() {
		if pod.routes.routes().Longest() > after {
			return "no server is removed that a running proxy may use"
		}
	}
	if w.deployment.exists && w.deployment.replicas > 0 && w.deployment.routes.routes().Longest() > after {
		return "no server is removed that a new proxy will use"
	}
	return ""
}

// checkRoutes checks the invariants of a change of routes.
func (s *space) checkRoutes(w world, from, to routesWorld) string {
	before, after := phaseOrder[from.phase], phaseOrder[to.phase]
	if before == Warming && after == Closing && s.warmup > 0 && !w.warmed && !w.copied {
		return "no warm-up is shorter than spec has it, unless a Job has read all items"
	}
	if before == Steady && after == Steady {
		to.from = from.to
	}
	if before != Steady || to.from == to.to || len(w.running()) == 0 {
		return ""
	}
	return s.checkBegin(w, to)
}

// checkBegin checks the invariants of the begin of a change of size.
func (s *space) checkBegin(w world, to routesWorld) string {
	switch {
	case to.from > to.to && w.marks > endedMarks:
		return "no decrease begins while servers have marks"
	case s.maxStep > 0 && max(to.to-to.from, to.from-to.to) > s.maxStep:
		return "a step is at most maxStep"
	}
	for i := to.from; i < to.to; i++ {
		if w.servers[i].used {
			return "new servers have no items of an earlier change"
		}
	}
	return ""
}

// checkReady checks that proxies get new servers only when these are ready: in the sync that begins the change, and
// in the one that lets items move. Proxies that start with the cache are no change.
func checkReady(s State, p Plan) string {
	d := s.Proxies.Deployment
	if d == nil || d.Replicas == 0 || d.Routes == (Routes{}) || p.Proxies == 0 || p.Routes == d.Routes || !p.Routes.grows() && p.Routes.To <= d.Routes.To {
		return ""
	}
	if p.Routes.Phase == Closing { // the warm-up ends also without the servers
		return ""
	}
	for ordinal := d.Routes.Used(); ordinal < p.Routes.Longest(); ordinal++ {
		if !s.Servers[ordinal].Ready {
			return "proxies use new servers only when these are ready"
		}
	}
	return ""
}

func (w world) running() []podWorld {
	var running []podWorld
	for _, pod := range w.pods {
		if pod.exists {
			running = append(running, pod)
		}
	}
	return running
}

// neighbours reports whether proxies of two successive phases may have these routes.
func (s *space) neighbours(a, b routesWorld) bool {
	a.marks, b.marks = noMarks, noMarks
	change, phase := b, phaseOrder[b.phase]
	change.phase = a.phase
	switch {
	case a == b:
		return true
	case s.warmup == 0 && phaseOrder[a.phase] == Steady && phase == Steady:
		return true
	case phaseOrder[a.phase] == Steady:
		return phase == Preparing && a.to == b.from
	case phaseOrder[a.phase] == Preparing:
		return phase == Warming && change == a
	case phaseOrder[a.phase] == Warming:
		return phase == Closing && change == a
	}
	return phase == Steady && a.to == b.to
}
