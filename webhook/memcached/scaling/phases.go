package scaling

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has what follows a phase of a move, and when. A rollout gives the proxies their phase, which their label, library.lua and the functions
// below name. Status names what happens to the servers. A move from n to m servers has these phases:
//
//	in status        of proxies  what happens
//	Waiting          steady      what must end first
//	AddingServers    announcing  n servers have the items, and the proxies know what follows. Once the Deployment shows this phase, the new
//	                             servers are added
//	Cleaning         announcing  the same before a decrease, in which a Job deletes from the m servers what earlier moves have left there
//	Preparing        preparing   n servers have the items, and the proxies follow items that others move
//	WarmingUp        warming     items move to m servers. After the rollout, the warm-up begins
//	Closing          closing     m servers have the items, and no item moves
//	RemovingServers  steady      the proxies know m servers alone. After the rollout, other servers are removed
//
// What proxies with some routes do is in routes.go and library.lua, and what the Job does in job.go.

// movePhase returns the phase in status of proxies that are not steady.
func (r Routes) movePhase() v1alpha1.MovePhase {
	switch {
	case r.Phase == Announcing && !r.adds(): // a server whose slot returns is cleaned too, after it has started
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

const (
	// observationDelay is how long servers are not needed before they are removed, if not all proxies are observed or available. It is the
	// only step that cannot be undone, and Metacontroller can observe the proxies a moment later than the servers.
	observationDelay = 10 * time.Second
	// claimDelay is longer than the items last that preparing proxies write, and that steady ones would return.
	claimDelay = 10 * time.Second
)

// inPhase returns what follows in the phase of the proxies.
func (c current) inPhase() outcome {
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

// wanted reports whether the move is still wanted. New pods that preparing proxies know have the desired template, and so have all new pods while a
// server is lost: a StatefulSet with a pod that is not available replaces none. Slots that are to move too have their turn after this move.
func (c current) wanted() bool {
	r := c.routes
	next := c.target(r.From)
	return (next == r.To || r.isPartOf(next)) && (r.Phase == Announcing && !c.anyLost() || !c.editedAgain())
}

func (f Facts) anyLost() bool {
	for ordinal := range f.Servers {
		if f.lost(ordinal) {
			return true
		}
	}
	return false
}

// ready reports whether all servers that a move adds, and that spec still wants, are ready. One that proxies know already may be terminating: it
// still serves, and its items move after this move. So does the slot of one whose node does not respond once items have moved.
func (c current) ready() bool {
	r := c.routes
	for slot, ordinal := range r.To.Ordinals() {
		wanted := int32(slot) < c.Size || !r.Replaces() && !r.Resizes()
		serves := c.Servers[ordinal].Ready || r.Phase != Announcing && c.Draining(ordinal) || r.Phase == Warming && c.lost(ordinal)
		if wanted && !serves && !r.From.Has(ordinal) {
			return false
		}
	}
	return !c.editedAgain()
}

func (f Facts) unready(ordinal int32) bool { return !f.Servers[ordinal].Ready }

// addedStops reports whether a server that the move adds is being deleted and holds. It ends when no proxy knows it.
func (c current) addedStops() bool {
	return slices.ContainsFunc(c.routes.added(), c.Draining)
}

// stay continues with the routes, and with the recorded end of their phase.
func (c current) stay() outcome {
	o := c.enter(c.routes)
	o.Report.Until = c.recordedEnd(o.Report.Phase)
	return o
}

// enter uses routes. It neither adds nor removes a server.
func (c current) enter(routes Routes) outcome {
	return outcome{Decision: Decision{Routes: routes, Run: c.neededWith(routes), Report: c.reportOf(routes), Job: c.keepJob(routes)}}
}

// steady removes servers that no proxy uses any more, and then begins the next step towards spec.
func (c current) steady() outcome {
	switch {
	case c.applied && c.hasServersToRemove(c.routes.To):
		return c.removing()
	case !c.proxiesSettled():
		return c.stay()
	}
	used := c.routes.To
	next := Routes{From: used, To: c.target(used), Phase: Announcing}
	o := outcome{Decision: Decision{Routes: c.routes, Run: used.Span(), Job: c.keepJob(c.routes)}}
	left := c.untilStep(c.stepStatus(c.revision, used.Slots.Count))
	old := c.old(next)
	switch {
	case next.To == used:
	case left > 0 && c.MaxStep > 0 && next.Resizes():
		o.Wait = left
	case len(old) > 0:
		o.Report, o.awaited = Report{Phase: v1alpha1.MoveWaiting, From: used, To: next.To}, old
	case c.Proxies.Warmup == 0 && !next.adds():
		return c.enter(steadyRoutes(next.To))
	default:
		return c.enter(next)
	}
	return o
}

// removing removes servers that no proxy uses: they may have outdated items. Not all proxies need be available: the servers may have
// the room that they need.
func (c current) removing() outcome {
	used, o := c.routes.To.Span(), c.enter(c.routes)
	inUse := slices.ContainsFunc(c.running, func(running Routes) bool {
		return running == Routes{} || !used.contains(running.Knows())
	})
	if inUse || !c.Proxies.Deployment.CaughtUp {
		return o
	}
	if !c.allObserved() {
		o.Wait = c.setEnd(&o.Report, observationDelay)
	}
	if o.Wait == 0 {
		o.Run = used
	}
	return o
}

// announcing adds servers, or cleans those that stay, during the rollout of the proxies, and then begins the move, unless spec does not
// want it any more. If no steady proxy runs, the last proxies may have been preparing ones, so steady ones start later.
func (c current) announcing() outcome {
	r, before := c.routes, steadyRoutes(c.routes.From)
	o := c.enter(r)
	extended, found := c.extended()
	switch {
	case !c.applied:
		return o
	case found:
		return c.enter(extended)
	case c.wanted():
		return c.beginMove(o)
	case slices.Contains(c.running, before):
		return c.enter(before)
	case c.proxiesSettled():
		if o.Wait = c.setEnd(&o.Report, claimDelay); o.Wait == 0 { // no claim of preparing proxies is left
			return c.enter(before)
		}
	}
	return o
}

// extended returns the move to more or other spares that is announced instead, while a proxy of the phase before runs: then all proxies use the
// servers before the move alone.
func (c current) extended() (next Routes, found bool) {
	next = Routes{c.routes.From, c.target(c.routes.From), Announcing}
	steady := slices.Contains(c.running, steadyRoutes(next.From))
	return next, steady && next != c.routes && next.ToSpares() && len(c.old(next)) == 0
}

// old returns the pods with the names of new servers, which must be empty, as those are that the move under way has added.
func (c current) old(next Routes) (pods []Pod) {
	for _, ordinal := range next.added() {
		known := next.From.Span().Has(ordinal) || c.routes.To.Has(ordinal)
		if server, exists := c.Servers[ordinal]; exists && !known {
			pods = append(pods, server.Pod)
		}
	}
	return pods
}

// beginMove begins a move once its servers are ready.
func (c current) beginMove(o outcome) outcome {
	r, ready := c.routes, c.ready()
	o.Run = o.Run.join(r.To.Span())
	for _, ordinal := range r.mayHaveItems() {
		o.awaited = append(o.awaited, c.Servers[ordinal].Pod) // it starts again when it has stopped
	}
	switch {
	case r.cleans() && ready:
		o.Job = c.startJob(o.Job)
	case c.jobFailed() && slices.ContainsFunc(r.mayHaveItems(), c.unready): // it did not reach the server, so it begins again when the server is ready
		o.Job = Job{}
	}
	clean := !r.cleans() || c.jobComplete() || !c.CanRunJob && c.Job == nil
	switch {
	case !clean || !ready || !c.proxiesSettled():
		return o
	case c.Proxies.Warmup == 0:
		return c.enter(steadyRoutes(r.To))
	}
	return c.enter(r.in(Preparing))
}

// preparing lets the warm-up begin. A move that spec does not want any more is given up, because no item has moved, and one to a server that is
// told to stop starts again. That does not wait for the rollout of this phase: it cannot end if the cluster has no room for another proxy.
func (c current) preparing() outcome {
	announcing := c.routes.in(Announcing)
	switch {
	case c.applied && (!c.wanted() || c.addedStops()) && c.allRun(c.routes, announcing):
		return c.enter(announcing)
	case !c.proxiesSettled() || !c.ready():
		return c.stay()
	}
	return c.enter(c.routes.in(Warming))
}

// warming ends the warm-up when the Job has read all items. Proxies.Warmup is the longest time, also if no Job runs. A warm-up with a new
// pod template begins or ends later while its servers are not ready: those that have the items are removed afterwards. It does not wait for
// servers that spec has no use for, nor if spec changes what may prevent them from getting ready. It also ends when nothing
// is left to move.
func (c current) warming() outcome {
	r := c.routes
	if !c.proxiesSettled() || r.Replaces() && c.Proxies.Warmup > 0 && !c.editedAgain() && !c.ready() {
		return c.stay()
	}
	o := c.enter(r)
	o.Job = c.startJob(o.Job)
	o.Wait = c.setEnd(&o.Report, c.Proxies.Warmup)
	if o.Wait == 0 || c.jobComplete() || c.recordedAs(Closing) || c.nothingLeft() {
		return c.enter(r.in(Closing))
	}
	return o
}

// nothingLeft reports whether no item is left to move to or from spares: the servers have stopped, or do not respond, and no Job reads them.
func (c current) nothingLeft() bool {
	r := c.routes
	return !r.Replaces() && !r.Resizes() && !slices.ContainsFunc(r.Removed(), func(ordinal int32) bool {
		unread := c.lost(ordinal) && (c.jobFailed() || !c.CanRunJob)
		return !unread && !c.hasStopped(ordinal)
	})
}

// closing ends the move.
func (c current) closing() outcome {
	if !c.proxiesSettled() {
		return c.stay()
	}
	return c.enter(steadyRoutes(c.routes.To))
}
