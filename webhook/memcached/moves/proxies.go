package moves

import "slices"

// This file has what is observed of the proxies. Those of an earlier phase can run for a while.

// proxiesDeleted reports whether no proxy runs, and no Deployment starts one.
func (f Facts) proxiesDeleted() bool { return len(f.Proxies.Pods) == 0 && f.Proxies.Deployment == nil }

// proxiesStopped reports whether no proxy runs, and the Deployment starts none.
func (f Facts) proxiesStopped() bool {
	d := f.Proxies.Deployment
	return len(f.Proxies.Pods) == 0 && d != nil && d.Replicas == 0 && d.RolledOut
}

// reaches reports whether a proxy with some routes can respond to a read: all servers that the key has before and after a move are ready. A
// proxy is available from the first such response on.
//
// If it cannot, there is no service to protect, and what ends the outage may come after this rollout. So the rollout replaces all proxies
// at once, and nothing waits for their availability.
func (f Facts) reaches(r Routes) bool {
	serves := func(ordinal int32) bool { return f.state(ordinal).serves() }
	some := func(ordinals []int32) bool { return slices.ContainsFunc(ordinals, serves) }
	from, to := r.From.BySlot(), r.To.BySlot()
	if r.Phase == Steady || r.Phase == Announcing {
		return some(from)
	}
	both := min(len(from), len(to))
	for slot := range both {
		if serves(from[slot]) && serves(to[slot]) {
			return true
		}
	}
	return some(from) && some(to[both:]) || some(from[both:]) && some(to) // other keys get a slot that is added, or had one that is removed
}

// rolloutObstacle returns why not all desired proxies are available, or why others may run; none if they cannot be available, and no others
// run.
func (s situation) rolloutObstacle() Obstacle {
	d := s.Proxies.Deployment
	switch {
	case !s.currentApplied || s.othersRun(s.current):
		return EarlierProxies
	case d.Replicas != s.Proxies.Replicas || !d.Updated, !d.RolledOut && s.reaches(s.current):
		return ProxiesNotAvailable
	}
	return NoObstacle
}

// rolloutEnded reports whether a move can go on: all proxies have the routes of its phase, and none that reaches a server is unavailable.
func (s situation) rolloutEnded() bool { return s.rolloutObstacle() == NoObstacle }

// othersRun reports whether a proxy may run that has none of these routes.
func (s situation) othersRun(routes ...Routes) bool {
	return slices.ContainsFunc(s.runningRoutes, func(running Routes) bool { return !slices.Contains(routes, running) })
}

// allObserved reports whether the rollout of the proxies has ended, and all of them are observed. Then no former proxy starts any more, and
// each that may run is observed too: Metacontroller observes pods in the order of their changes.
func (s situation) allObserved() bool {
	var live int32
	for _, proxy := range s.Proxies.Pods {
		if proxy.Routes == s.current && proxy.GraceEnds == nil {
			live++
		}
	}
	return s.rolloutEnded() && live >= s.Proxies.Replicas
}

// neededWith returns the servers that exist, and those that proxies with these routes or running proxies know.
func (s situation) neededWith(routes Routes) Range {
	needed := routes.Known()
	for _, running := range s.runningRoutes {
		needed = needed.join(running.Known())
	}
	return needed.join(s.existingOrdinals())
}

// hasServersToRemove reports whether servers exist that steady proxies do not use.
func (s situation) hasServersToRemove(used Pool) bool {
	return s.neededWith(steadyRoutes(used)) != used.Span()
}
