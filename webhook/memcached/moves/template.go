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
	limit, end := run, int32(0)
	if routes.Phase == Announcing && s.allRun(routes, steadyRoutes(routes.From)) { // no proxy knows the new servers yet
		limit = routes.From.Span()
	}
	switch {
	case routes.Phase != Steady, !routes.To.Span().contains(run), s.anyKnowsServersWithoutSlot(routes.To): // a move, or its end
		end = s.endOf(poolOf(limit), every)
	case s.Proxies.Warmup > 0: // otherwise all pods are replaced in place. Those with items keep their template until the items move
		end = s.endOfOutdated(routes.To)
	}
	if routes.Replaces() {
		end = max(end, routes.From.Span().End())
	}
	return max(0, min(end, limit.End())-run.First)
}

// anyKnowsServersWithoutSlot reports whether a running proxy knows a server that has no slot, such as one whose slot a spare has.
func (s situation) anyKnowsServersWithoutSlot(used Pool) bool {
	knows := func(r Routes) bool { return r.Phase == Closing && len(r.From.notIn(used)) > 0 }
	return s.Proxies.Warmup > 0 && slices.ContainsFunc(s.running, knows)
}

// hasOutdated reports whether a server has items, and is not known to have the desired template.
func (f Facts) hasOutdated(p Pool) bool { return f.endOfOutdated(p) > p.Slots.First }

// endOfOutdated returns the ordinal after the last server that has items and is not known to have the desired template; at most the first
// ordinal if there is none. If the StatefulSet has more ready pods than are observed, any of them may have some.
func (f Facts) endOfOutdated(p Pool) int32 {
	ready, items := int32(0), false
	for _, server := range f.Servers {
		if server.Ready {
			ready++
		}
		items = items || server.LiveWithItems
	}
	late := f.Workload != nil && f.Workload.Ready > ready
	if !items && !late {
		return 0
	}
	return f.endOf(p, func(server Server) bool { return late || server.LiveWithItems })
}

// endOf returns the ordinal after the last of those servers that count and are not known to have the desired template. While nothing
// is known, the partition stays.
func (f Facts) endOf(p Pool, counts func(Server) bool) int32 {
	switch w, end := f.Workload, p.Span().End(); {
	case w == nil || !w.TemplateApplied:
		return end
	case !w.CaughtUp && end > w.Ordinals.End(): // it has not had all of them
		return end
	case !w.CaughtUp:
		return w.Ordinals.First + min(w.Partition, w.Ordinals.Count)
	}
	return f.endOfEarlier(p, counts)
}

// endOfEarlier returns the ordinal after the last of some servers that has an earlier template; 0 if there is none.
func (f Facts) endOfEarlier(p Pool, counts func(Server) bool) (end int32) {
	for ordinal, server := range f.Servers {
		if p.Has(ordinal) && !server.Updated && counts(server) {
			end = max(end, ordinal+1)
		}
	}
	return end
}

// every counts all servers.
func every(Server) bool { return true }

// editedAgain reports whether the pod template was edited after new pods had started with it.
func (s situation) editedAgain() bool {
	return s.routes.Replaces() && s.endOfEarlier(s.routes.To, every) > 0
}
