package moves

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has what follows a phase of a move, and when; begin.go has its begin. A rollout gives the proxies their phase, which their label,
// library.lua and the functions below name. Status names what happens to the servers. A move from n to m servers has these phases:
//
//	in status        of proxies  what happens, until what
//	Waiting          steady      nothing, until pods with the names of new servers, and proxies of the move before, have ended
//	AddingServers    announcing  n servers have the items, and the proxies know what follows. Once the Deployment shows this phase, the new
//	                             servers are added, until they are ready, and clean if they are not new
//	Cleaning         announcing  the same before a decrease, until a Job has deleted from the m servers what earlier moves have left there
//	Preparing        preparing   n servers have the items, and the proxies follow items that others move, until all proxies do
//	WarmingUp        warming     items move to m servers. When all proxies do so, a Job begins, and the phase lasts until it has read all items,
//	                             or for the time in spec
//	Closing          closing     m servers have the items, and no item moves, until all proxies know that
//	RemovingServers  steady      the proxies know m servers alone, and other servers are removed when no running proxy knows them
//
// Without a warm-up, steady proxies follow on announcing ones, or on those before if no server is added.
//
// What proxies with some routes do is in routes.go and library.lua, and what the Job does in job.go.

// movePhase returns the phase in status of proxies that are not steady.
func (r Routes) movePhase() v1alpha1.MovePhase {
	switch {
	case r.Task() == CleanStaying: // a server whose slot returns is cleaned too, after it has started
		return v1alpha1.MoveCleaning
	case r.Phase == Announcing:
		return v1alpha1.MoveAddingServers
	case r.Phase == Preparing:
		return v1alpha1.MovePreparing
	case r.Phase == Warming:
		return v1alpha1.MoveWarmingUp
	}
	return v1alpha1.MoveClosing
}

// observationDelay is how long servers are not needed before they are removed, if not all proxies are observed or available. It is the
// only step that cannot be undone, and Metacontroller can observe the proxies a moment later than the servers.
const observationDelay = 10 * time.Second

// inPhase returns what follows in the phase of the proxies.
func (c cache) inPhase() outcome {
	switch c.routes.Phase {
	case Announcing:
		return c.announcing()
	case Preparing:
		return c.preparing()
	case Warming:
		return c.warming()
	case Closing:
		return c.closing()
	}
	return c.steady()
}

// stay continues with the routes, and with the recorded end of their phase.
func (c cache) stay() outcome { return c.await("") }

// await continues with the routes, and with the recorded end of their phase. Users read why if the phase is the steady one, and a move follows.
func (c cache) await(why string) outcome {
	o := c.useWith(c.routes, why)
	o.report.Until = c.recordedEnd(o.report.Phase)
	return o
}

// use uses the routes of this phase or of the next one.
func (c cache) use(routes Routes) outcome { return c.useWith(routes, earlierPhase) }

// useWith uses routes, and reports why a move that follows waits. It neither adds nor removes a server.
func (c cache) useWith(routes Routes, why string) outcome {
	o := outcome{routes: routes, run: c.neededWith(routes), job: c.jobUnderWay(routes)}
	if routes.Phase == Steady {
		o.report = c.steadyReport(routes.To, why)
	} else {
		o.report = c.report(routes)
	}
	return o
}

// steady removes servers that no proxy uses any more, and then begins the next step towards spec.
func (c cache) steady() outcome {
	unsettled := c.unsettled()
	switch {
	case c.applied && c.hasServersToRemove(c.routes.To):
		return c.removing()
	case unsettled != "":
		return c.await(unsettled)
	}
	return c.begin()
}

// removing removes servers that no proxy uses: they may have outdated items. Not all proxies need be available: the servers may have
// the room that they need.
func (c cache) removing() outcome {
	used, o := c.routes.To.Span(), c.use(c.routes)
	inUse := slices.ContainsFunc(c.running, func(running Routes) bool {
		return running == Routes{} || !used.contains(running.Knows())
	})
	if inUse || !c.Proxies.Deployment.CaughtUp {
		return o
	}
	if !c.allObserved() {
		o.report.Until, o.wait = c.end(o.report.Phase, observationDelay)
	}
	if o.wait == 0 {
		o.run = used
	}
	return o
}

// preparing lets the warm-up begin. A move that spec does not want any more is given up, because no item has moved, and one to a server that is
// told to stop starts again. That does not wait for the rollout of this phase: it cannot end if the cluster has no room for another proxy.
func (c cache) preparing() outcome {
	announcing := c.routes.in(Announcing)
	switch {
	case c.applied && (!c.wanted() || c.addedStops()) && c.allRun(c.routes, announcing):
		return c.use(announcing)
	case !c.settled() || !c.addedReady() || c.editedAgain():
		return c.stay()
	}
	return c.use(c.routes.in(Warming))
}

// warming ends the warm-up when the Job has read all items. Proxies.Warmup is the longest time, also if no Job runs. A warm-up with a new
// pod template begins or ends later while its servers are not ready: those that have the items are removed afterwards. It does not wait for
// servers that spec has no use for, nor if spec changes what may prevent them from getting ready. It also ends when nothing
// is left to move.
func (c cache) warming() outcome {
	r := c.routes
	if !c.settled() || r.Replaces() && c.Proxies.Warmup > 0 && !c.editedAgain() && !c.addedReady() {
		return c.stay()
	}
	o := c.use(r)
	o.job = c.startJob(o.job)
	o.report.Until, o.wait = c.end(o.report.Phase, c.Proxies.Warmup)
	if o.wait == 0 || c.jobComplete() || c.recordedAs(Closing) || c.nothingLeft() {
		return c.use(r.in(Closing))
	}
	return o
}

// nothingLeft reports whether no item is left to move to or from spares: the servers have stopped, or do not respond, and no Job reads them.
func (c cache) nothingLeft() bool {
	r := c.routes
	return r.sameSlots() && !slices.ContainsFunc(r.Removed(), func(ordinal int32) bool {
		unread := c.Stuck(ordinal) && (c.jobFailed() || !c.CanRunJob)
		return !unread && !c.hasStopped(ordinal)
	})
}

// closing ends the move.
func (c cache) closing() outcome {
	if !c.settled() {
		return c.stay()
	}
	return c.use(steadyRoutes(c.routes.To))
}
