package moves

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has the begin of a move, until items may move: which servers are added, and what must be empty or ready first.

// claimDelay is longer than the items last that preparing proxies write, and that steady ones would return.
const claimDelay = 10 * time.Second

// begin announces the next move: towards spec, or away from servers that are being deleted.
func (s situation) begin() outcome {
	used := s.routes.To
	next := Routes{Move{used, s.target(used)}, Announcing}
	o := outcome{routes: s.routes, run: used.Span(), job: s.jobUnderWay(s.routes)}
	left := s.untilStep(s.revision)
	old := s.old(next)
	switch {
	case next.To == used:
	case left > 0 && s.MaxStep > 0 && next.Resizes():
		o.wait = left
	case len(old) > 0:
		o.report, o.awaited = waits(next.Move, earlierPods), old
	case s.Proxies.Warmup == 0 && !next.adds():
		return s.use(steadyRoutes(next.To))
	default:
		return s.use(next)
	}
	return o
}

// announcing adds servers, or cleans those that stay, during the rollout of the proxies, and then lets the move go on, unless spec does not
// want it any more. If no steady proxy runs, the last proxies may have been preparing ones, so steady ones start later.
func (s situation) announcing() outcome {
	before := steadyRoutes(s.routes.From)
	extended, found := s.extended()
	switch {
	case !s.routesApplied:
		return s.use(s.routes)
	case found:
		return s.use(extended)
	case s.wanted():
		return s.prepareServers()
	case slices.Contains(s.running, before):
		return s.use(before)
	}
	o := s.use(s.routes)
	if s.settled() {
		if o.report.Until, o.wait = s.end(o.report.Phase, claimDelay); o.wait == 0 { // no claim of preparing proxies is left
			return s.use(before)
		}
	}
	return o
}

// wanted reports whether the move leads to where the cache is to be, or to a part of it: slots that are to move too have their turn after this move.
func (s situation) wanted() bool {
	next := s.target(s.routes.From)
	return (next == s.routes.To || s.routes.isPartOf(next)) && !s.startsOutdated()
}

// startsOutdated reports whether pods that the move adds have an earlier template, and stay. While the move is announced, the StatefulSet replaces
// them, unless it has a pod that does not end: then it replaces none.
func (s situation) startsOutdated() bool {
	return s.editedAgain() && (s.routes.Phase != Announcing || s.anyStuck())
}

// extended returns the move to more or other spares that is announced instead, while a proxy of the phase before runs: then all proxies use the
// servers before the move alone.
func (s situation) extended() (next Routes, found bool) {
	next = Routes{Move{s.routes.From, s.target(s.routes.From)}, Announcing}
	steady := slices.Contains(s.running, steadyRoutes(next.From))
	return next, steady && next != s.routes && next.Purpose() == v1alpha1.MoveToSpare && len(s.old(next)) == 0
}

// old returns the pods with the names of new servers, which must be empty, as those are that the move under way has added.
func (s situation) old(next Routes) (pods []Pod) {
	for _, ordinal := range next.added() {
		known := next.From.Span().Has(ordinal) || s.routes.To.Has(ordinal)
		if server, exists := s.Servers[ordinal]; exists && !known {
			pods = append(pods, server.Pod)
		}
	}
	return pods
}

// prepareServers adds the servers of the move, or cleans those that stay. When they are ready and clean, the proxies prepare.
func (s situation) prepareServers() outcome {
	r, ready, o := s.routes, s.addedReady() && !s.editedAgain(), s.use(s.routes)
	o.run = o.run.join(r.To.Span())
	for _, ordinal := range r.mayHaveItems() {
		o.awaited = append(o.awaited, s.Servers[ordinal].Pod) // it starts again when it has stopped
	}
	cold := s.Proxies.Warmup == 0 && r.Task() == CleanStaying // as in begin: nothing is cleaned
	switch {
	case cold:
		o.job = Job{}
	case r.Task() != NoTask && ready:
		o.job = s.startJob(o.job)
	case s.jobFailed() && slices.ContainsFunc(r.mayHaveItems(), s.unready): // it did not reach the server, so it begins again when the server is ready
		o.job = Job{}
	}
	clean := r.Task() == NoTask || s.isClean(cold)
	switch {
	case !clean || !ready || !s.settled():
		return o
	case s.Proxies.Warmup == 0:
		return s.use(steadyRoutes(r.To))
	}
	return s.use(r.in(Preparing))
}

// isClean reports whether the Job has cleaned the servers, or nothing is to be cleaned or can be, and no Job is left.
func (s situation) isClean(cold bool) bool {
	return s.jobComplete() || (cold || !s.CanRunJob) && s.Job == nil
}

// addedReady reports whether all servers that a move adds, and that spec still wants, are ready. One that proxies know already may be terminating: it
// still serves, and its items move after this move. So does the slot of one whose node does not respond once items have moved.
func (s situation) addedReady() bool {
	r := s.routes
	for slot, ordinal := range r.To.Ordinals() {
		needed := int32(slot) < s.Size || r.sameSlots()
		serves := s.Servers[ordinal].Ready || r.Phase != Announcing && s.ServesOn(ordinal) || r.Phase == Warming && s.Stuck(ordinal)
		if needed && !serves && !r.From.Has(ordinal) {
			return false
		}
	}
	return true
}

func (f Facts) unready(ordinal int32) bool { return !f.Servers[ordinal].Ready }

// addedStops reports whether a server that the move adds is being deleted and holds. It ends when no proxy knows it.
func (s situation) addedStops() bool {
	return slices.ContainsFunc(s.routes.added(), s.ServesOn)
}
