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
func (c cache) begin() outcome {
	used := c.routes.To
	next := Routes{Move{used, c.target(used)}, Announcing}
	o := outcome{routes: c.routes, run: used.Span(), job: c.jobUnderWay(c.routes)}
	left := c.untilStep(c.revision)
	old := c.old(next)
	switch {
	case next.To == used:
	case left > 0 && c.MaxStep > 0 && next.Resizes():
		o.wait = left
	case len(old) > 0:
		o.report, o.awaited = waits(next.Move, earlierPods), old
	case c.Proxies.Warmup == 0 && !next.adds():
		return c.use(steadyRoutes(next.To))
	default:
		return c.use(next)
	}
	return o
}

// announcing adds servers, or cleans those that stay, during the rollout of the proxies, and then lets the move go on, unless spec does not
// want it any more. If no steady proxy runs, the last proxies may have been preparing ones, so steady ones start later.
func (c cache) announcing() outcome {
	before := steadyRoutes(c.routes.From)
	extended, found := c.extended()
	switch {
	case !c.applied:
		return c.use(c.routes)
	case found:
		return c.use(extended)
	case c.wanted():
		return c.prepareServers()
	case slices.Contains(c.running, before):
		return c.use(before)
	}
	o := c.use(c.routes)
	if c.settled() {
		if o.report.Until, o.wait = c.end(o.report.Phase, claimDelay); o.wait == 0 { // no claim of preparing proxies is left
			return c.use(before)
		}
	}
	return o
}

// wanted reports whether the move leads to where the cache is to be, or to a part of it: slots that are to move too have their turn after this move.
func (c cache) wanted() bool {
	next := c.target(c.routes.From)
	return (next == c.routes.To || c.routes.isPartOf(next)) && !c.startsOutdated()
}

// startsOutdated reports whether pods that the move adds have an earlier template, and stay. While the move is announced, the StatefulSet replaces
// them, unless it has a pod that does not end: then it replaces none.
func (c cache) startsOutdated() bool {
	return c.editedAgain() && (c.routes.Phase != Announcing || c.anyStuck())
}

func (f Facts) anyStuck() bool {
	for ordinal := range f.Servers {
		if f.Stuck(ordinal) {
			return true
		}
	}
	return false
}

// extended returns the move to more or other spares that is announced instead, while a proxy of the phase before runs: then all proxies use the
// servers before the move alone.
func (c cache) extended() (next Routes, found bool) {
	next = Routes{Move{c.routes.From, c.target(c.routes.From)}, Announcing}
	steady := slices.Contains(c.running, steadyRoutes(next.From))
	return next, steady && next != c.routes && next.Purpose() == v1alpha1.MoveToSpare && len(c.old(next)) == 0
}

// old returns the pods with the names of new servers, which must be empty, as those are that the move under way has added.
func (c cache) old(next Routes) (pods []Pod) {
	for _, ordinal := range next.added() {
		known := next.From.Span().Has(ordinal) || c.routes.To.Has(ordinal)
		if server, exists := c.Servers[ordinal]; exists && !known {
			pods = append(pods, server.Pod)
		}
	}
	return pods
}

// prepareServers adds the servers of the move, or cleans those that stay. When they are ready and clean, the proxies prepare.
func (c cache) prepareServers() outcome {
	r, ready, o := c.routes, c.addedReady() && !c.editedAgain(), c.use(c.routes)
	o.run = o.run.join(r.To.Span())
	for _, ordinal := range r.mayHaveItems() {
		o.awaited = append(o.awaited, c.Servers[ordinal].Pod) // it starts again when it has stopped
	}
	cold := c.Proxies.Warmup == 0 && r.Task() == CleanStaying // as in begin: nothing is cleaned
	switch {
	case cold:
		o.job = Job{}
	case r.Task() != NoTask && ready:
		o.job = c.startJob(o.job)
	case c.jobFailed() && slices.ContainsFunc(r.mayHaveItems(), c.unready): // it did not reach the server, so it begins again when the server is ready
		o.job = Job{}
	}
	clean := r.Task() == NoTask || c.jobComplete() || (cold || !c.CanRunJob) && c.Job == nil
	switch {
	case !clean || !ready || !c.settled():
		return o
	case c.Proxies.Warmup == 0:
		return c.use(steadyRoutes(r.To))
	}
	return c.use(r.in(Preparing))
}

// addedReady reports whether all servers that a move adds, and that spec still wants, are ready. One that proxies know already may be terminating: it
// still serves, and its items move after this move. So does the slot of one whose node does not respond once items have moved.
func (c cache) addedReady() bool {
	r := c.routes
	for slot, ordinal := range r.To.Ordinals() {
		needed := int32(slot) < c.Size || r.sameSlots()
		serves := c.Servers[ordinal].Ready || r.Phase != Announcing && c.ServesOn(ordinal) || r.Phase == Warming && c.Stuck(ordinal)
		if needed && !serves && !r.From.Has(ordinal) {
			return false
		}
	}
	return true
}

func (f Facts) unready(ordinal int32) bool { return !f.Servers[ordinal].Ready }

// addedStops reports whether a server that the move adds is being deleted and holds. It ends when no proxy knows it.
func (c cache) addedStops() bool {
	return slices.ContainsFunc(c.routes.added(), c.ServesOn)
}
