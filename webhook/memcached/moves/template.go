package moves

import "slices"

// partition returns how many of the first pods keep the pod template that they have: up to the last pod that may have items and is not
// known to have the desired template. The template and the partition are written together, so an edit of the template replaces no pod in
// use.
//
//	three servers, whose template is edited        run  partition
//	the move has not begun                         0-2  3
//	the move to 3-5 is announced, and they start   0-5  3, so that these have the new template, and that of another edit
//	proxies know 3-5                               0-5  3 to 6: those of 3-5 that start with an edit of before keep it
//	proxies know 3-5 alone                         3-5  0
//	without a warm-up                              0-2  0, so that all pods are replaced in place
func (s situation) partition(routes Routes, run Range) int32 {
	before, limit := routes.From.Span(), run
	if routes.Phase == Announcing && !s.othersRun(routes, steadyRoutes(routes.From)) { // no proxy knows the new servers yet
		limit = before
	}
	var keep []int32
	switch {
	case !s.Proxies.Desired && !s.proxiesDeleted(), routes.Phase != Steady, !routes.To.Span().contains(run), s.anyKnowsServersWithoutSlot(routes.To): // proxies end, or a move, or its end
		keep = limit.List()
	case s.Proxies.Warmup > 0: // otherwise all pods are replaced in place. Those with items keep their template until the items move
		keep = s.mayHaveItems(routes.To)
	}
	keep = s.outdated(keep)
	if routes.Replaces() { // items move away from these
		keep = append(keep, before.List()...)
	}
	keep = slices.DeleteFunc(keep, func(ordinal int32) bool { return ordinal < run.First || ordinal >= limit.End() })
	if len(keep) == 0 {
		return 0
	}
	return slices.Max(keep) + 1 - run.First
}

// anyKnowsServersWithoutSlot reports whether a running proxy knows a server that has no slot, such as one whose slot a spare has.
func (s situation) anyKnowsServersWithoutSlot(used Pool) bool {
	knows := func(r Routes) bool { return r.Phase == Closing && !used.hasAll(r.From) }
	return s.Proxies.Warmup > 0 && slices.ContainsFunc(s.runningRoutes, knows)
}

// templateObstacle returns why it is not known which pods have the desired template.
func (f Facts) templateObstacle() Obstacle {
	switch w := f.Workload; {
	case w == nil:
		return NoStatefulSet
	case !w.TemplateApplied:
		return TemplateNotApplied
	case !w.CaughtUp:
		return TemplateNotObserved
	}
	return NoObstacle
}

// mayHaveItems returns the ordinals of servers that may have items. If the StatefulSet has more ready pods than are observed, any of them
// may have some. While it is not known which pods have the desired template, one server with items stands for all.
func (f Facts) mayHaveItems(p Pool) []int32 {
	ready, items := int32(0), false
	for _, server := range f.Servers {
		if server.State == ServerReady {
			ready++
		}
		items = items || server.State.liveWithItems()
	}
	switch w := f.Workload; {
	case w != nil && w.Ready > ready:
		return p.Span().List()
	case !items:
		return nil
	case f.templateObstacle() != NoObstacle:
		return p.Span().List()
	}
	return slices.DeleteFunc(p.BySlot(), func(ordinal int32) bool { return !f.state(ordinal).liveWithItems() })
}

// outdated returns those of some pods that are not known to have the desired template. While nothing is known, the partition stays.
func (f Facts) outdated(ordinals []int32) []int32 {
	return slices.DeleteFunc(ordinals, func(ordinal int32) bool {
		server, exists := f.Servers[ordinal]
		switch w := f.Workload; f.templateObstacle() {
		case NoObstacle:
			return !exists || server.Updated
		case TemplateNotObserved:
			return w.Ordinals.Has(ordinal) && ordinal >= w.Ordinals.First+w.Partition
		}
		return false
	})
}

// editedAgain reports whether the pod template was edited after new pods had started with it.
func (s situation) editedAgain() bool {
	return s.current.Replaces() && len(s.outdated(s.current.To.BySlot())) > 0
}
