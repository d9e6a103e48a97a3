package moves

import (
	"cmp"
	"fmt"
	"slices"
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
	if problem := cmp.Or(s.checkStopped(w, next), s.checkTemplates(name, w, next)); problem != "" {
		return problem
	}
	if problem := s.checkNeighbours(next.running()); problem != "" {
		return problem
	}
	if next.deployment == w.deployment || !next.deployment.exists || !w.deployment.exists {
		return ""
	}
	from, to := w.deployment.routes.routes(), next.deployment.routes.routes()
	if to.Phase == Closing && w.nothingLeft(to, name == "sync while servers restart") {
		return ""
	}
	return s.checkRoutes(w, from, to)
}

// nothingLeft reports whether the servers before a move to or from spares have no items.
func (w *world) nothingLeft(r Routes, restarted bool) bool {
	return r.From.Slots == r.To.Slots && !slices.ContainsFunc(r.Removed(), func(ordinal int32) bool {
		return !restarted && w.servers[ordinal].used
	})
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

// checkStopped checks a cache of size 0 whose proxies have stopped.
func (s *space) checkStopped(w, next world) string {
	if s.late == "" && w.size == 0 && w.deployment.replicas == 0 && w.scaledDown() && next.set.replicas > 0 {
		return "no server starts at size 0 once the proxies have stopped"
	}
	return ""
}

// scaledDown reports whether the StatefulSet exists, and has no servers.
func (w *world) scaledDown() bool { return w.set.exists && w.set.replicas == 0 }

// checkRemoval checks that no server is removed that proxies use.
func checkRemoval(w, next world) string {
	for i, server := range w.servers {
		ordinal := int32(i)
		if !server.exists || w.set.exists && !w.set.run().Has(ordinal) || !next.set.exists || next.set.run().Has(ordinal) {
			continue
		}
		for _, pod := range w.running() {
			if pod.routes.routes().Known().Has(ordinal) {
				return "no server is removed that a running proxy may use"
			}
		}
		if w.deployment.exists && w.deployment.replicas > 0 && w.deployment.routes.routes().Known().Has(ordinal) {
			return "no server is removed that a new proxy will use"
		}
	}
	return ""
}

// checkTemplates checks that a sync lets no server restart that has items which proxies find, unless it observes that none has any.
func (s *space) checkTemplates(name string, w, next world) string {
	if s.templates == 0 || !w.desired || name == "sync while servers restart" || s.late == "parent" && s.switches {
		return ""
	}
	if phaseOrder[next.deployment.routes.phase] == Steady && (w.cold || w.endsCold()) { // pods are replaced in place
		return ""
	}
	for i, server := range w.servers {
		if server.used && !server.stops && next.exposed(i) && !w.exposed(i) && w.finds(int32(i)) {
			return fmt.Sprintf("server %d, which has items that a proxy finds, does not restart", i)
		}
	}
	return ""
}

// endsCold reports whether a move without a warm-up ends, which gives up what the servers before have.
func (w world) endsCold() bool {
	return slices.ContainsFunc(w.running(), func(pod podWorld) bool {
		return phaseOrder[pod.routes.phase] == Announcing && pod.routes.to == w.deployment.routes.to
	})
}

// finds reports whether a proxy that runs, or a new one, finds the items of a server.
func (w world) finds(ordinal int32) bool {
	return w.deployment.replicas > 0 && w.deployment.routes.routes().FindsItems(ordinal) ||
		slices.ContainsFunc(w.running(), func(pod podWorld) bool { return pod.routes.routes().FindsItems(ordinal) })
}

// checkRoutes checks the invariants of a change of routes.
func (s *space) checkRoutes(w world, from, to Routes) string {
	if len(w.running()) == 0 || from == to {
		return ""
	}
	if problem := cmp.Or(s.checkStep(from, to), s.checkWaits(w, from, to)); problem != "" {
		return problem
	}
	if from.Phase == Announcing && to.Serving() != from.From || to.Phase == Preparing {
		return s.checkBegin(w, from)
	}
	return ""
}

// checkWaits checks what a change waits for. Hooks whose clocks differ can wait for less.
func (s *space) checkWaits(w world, from, to Routes) string {
	switch {
	case len(s.clocks) > 1:
		return ""
	case from.Phase == Warming && to.Phase == Closing && s.warmup > 0 && !w.cold && !w.warmed && !w.copied:
		return "no warm-up is shorter than spec has it, unless a Job has read all items"
	case from.Phase == Announcing && to == steadyRoutes(from.From) && w.claims:
		return "no steady proxy returns what preparing proxies have written"
	}
	return ""
}

// checkStep checks the number of servers that a change of steady proxies adds or removes.
func (s *space) checkStep(from, to Routes) string {
	before, after := to.From.Slots.Count, to.To.Slots.Count
	if to.Phase == Steady {
		before = from.To.Slots.Count
	}
	step := max(after-before, before-after)
	if from.Phase == Steady && s.maxStep > 0 && !to.Replaces() && step > int32(s.maxStep) {
		return "a step is at most maxStep"
	}
	return ""
}

// checkBegin checks the invariants of the begin of a change.
func (s *space) checkBegin(w world, r Routes) string {
	switch {
	case r.Phase != Announcing:
		return "all proxies expect a change when it begins"
	case s.copies && r.Task() != NoTask && !w.cleaned:
		return "no decrease and no return begins while servers have items of earlier changes"
	}
	for _, ordinal := range r.added() {
		switch server := w.servers[ordinal]; {
		case server.used && !slices.Contains(r.addedAgain(), ordinal):
			return "new servers have no items of an earlier change"
		case r.Replaces() && r.To.ownOrdinal(ordinal) < r.To.Slots.First+int32(w.size) && server.template != w.template && s.late == "":
			return "new servers have the template before they are used"
		}
	}
	return ""
}

// checkReady checks that proxies get new servers only when these are ready: in the sync that begins the change, in the one that lets
// items move, and in the one that gives up those of another set. Proxies that start with the cache are no change.
func checkReady(f Facts, d Decision) string {
	before := f.Proxies.Deployment
	if before == nil || before.Replicas == 0 || before.Routes == (Routes{}) || d.ProxyReplicas == 0 || d.Routes == before.Routes || d.Routes.Phase == Announcing {
		return ""
	}
	for _, ordinal := range newServers(f, d.Routes) {
		gone := f.isStuck(ordinal) && d.Routes.Phase == Closing
		if !f.state(ordinal).serves() && !gone {
			return "proxies use new servers only when these are ready"
		}
	}
	return ""
}

// newServers returns the servers that proxies get. The warm-up ends also without them, unless those before are removed.
func newServers(f Facts, r Routes) []int32 {
	before := f.Proxies.Deployment.Routes.Serving()
	switch {
	case r.Phase == Closing && (!r.Replaces() || f.Proxies.Warmup == 0 || f.situation().editedAgain()):
		return nil
	case r.Phase == Closing:
		before = r.From
	}
	return slices.DeleteFunc(r.To.notIn(before), func(ordinal int32) bool {
		return (r.Replaces() || r.Resizes()) && r.To.ownOrdinal(ordinal) >= r.To.Slots.First+f.Size
	})
}

// checkShown checks that no user takes a cache for unchanged whose servers have an earlier template, or that has servers for two.
func checkShown(f Facts, d Decision) string {
	shown := d.ProxyStatus != nil && d.ProxyStatus.Move != nil || d.Scaling != nil && d.Scaling.Replicas != f.SizeAfterStep(d.Scaling.Replicas)
	away := d.Routes.Phase == Steady && f.situation().withReturned(d.Routes.To) == d.Routes.To // their servers do not respond: a risk shows it
	if used := d.Routes.To.Span(); !shown && (d.Partition > 0 || d.Routes.HasSpares() && !away || d.Routes != Routes{} && used.join(d.Ordinals) != used) {
		return fmt.Sprintf("a template that is kept, and more servers, are part of a move that status shows: %+v", d)
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
	change, cold := b, s.warmup == 0 || s.warmups
	change.phase = a.phase
	switch before, after := phaseOrder[a.phase], phaseOrder[b.phase]; {
	case a == b:
		return true
	case before == after && before == Steady:
		return cold
	case before == after && before == Announcing: // both use the servers before the move alone
		return a.from == b.from
	case before == Steady && after == Announcing:
		return a.to == b.from || cold && a.to == b.to
	case before == Closing && after == Steady:
		return a.to == b.to
	}
	return change == a && b.phase == a.phase+1
}
