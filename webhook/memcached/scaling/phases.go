package scaling

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has all about a phase of a move except its name in the API and what the proxies do (library.lua). A move from n to m
// servers has these phases:
//
//	Waiting          what must end first: see [Decision.Blocked]
//	AddingServers    the new servers get ready. Rollout of the proxies: n servers have the items, and the proxies know what follows
//	Cleaning         the same before a decrease, in which a Job deletes from the m servers what earlier moves have left there
//	Preparing        rollout of the proxies: n servers have the items, and the proxies follow items that others move
//	WarmingUp        rollout of the proxies: items move to m servers. Then the warm-up begins
//	Closing          rollout of the proxies: m servers have the items, and no item moves
//	RemovingServers  rollout of the proxies: they know m servers alone. Then other servers are removed

const (
	// observationDelay is how long servers are not needed before they are removed, if not all proxies are observed or available. It is the
	// only step that cannot be undone, and Metacontroller can observe the proxies a moment later than the servers.
	observationDelay = 10 * time.Second
	// claimDelay is longer than the items last that preparing proxies write, and that steady ones would return.
	claimDelay = 10 * time.Second
)

// Phase is a phase of the proxies during a move. The proxies enter the phases in their order, each by a rollout.
// Proxies of two successive phases run at the same time during a rollout, and never those of other phases.
type Phase string

// The phases of the proxies.
const (
	// Steady proxies know the servers that serve alone.
	Steady Phase = ""
	// Announcing proxies use the servers before the move alone, and hide what preparing proxies write there.
	Announcing Phase = "announcing"
	// Preparing proxies know the servers before and after the move, and move no item.
	Preparing Phase = "preparing"
	// Warming proxies move each item that a client uses.
	Warming Phase = "warming"
	// Closing proxies know the servers before and after the move, and give up the items that have not moved.
	Closing Phase = "closing"
)

var phaseOrder = []Phase{Steady, Announcing, Preparing, Warming, Closing}

// movePhase returns the phase in status of proxies that are not steady.
func (r Routes) movePhase() v1alpha1.MovePhase {
	switch {
	case r.Phase == Announcing && r.adds():
		return v1alpha1.MoveAddingServers
	case r.Phase == Announcing:
		return v1alpha1.MoveCleaning
	case r.Phase == Preparing:
		return v1alpha1.MovePreparing
	case r.Phase == Warming:
		return v1alpha1.MoveWarmingUp
	}
	return v1alpha1.MoveClosing
}

// messages explain the phases to users.
var messages = map[v1alpha1.MovePhase]string{
	v1alpha1.MoveAddingServers:   "New servers start, and the proxies are rolled out so that they expect the change.",
	v1alpha1.MoveCleaning:        "A Job deletes what earlier changes have left on the remaining servers, and the proxies are rolled out so that they expect the change.",
	v1alpha1.MovePreparing:       "The proxies are rolled out so that they find items that move.",
	v1alpha1.MoveWarmingUp:       "The proxies are rolled out so that items move to their new servers.",
	v1alpha1.MoveClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.MoveRemovingServers: "Servers are removed once no running proxy uses them.",
}

// What the phase Waiting waits for.
const (
	proxiesFirst   = "The proxies are replaced first: not all of them are available and know the same servers."
	templateFirst  = "The StatefulSet controller has not observed the pod template yet."
	removedServers = "Removed servers with the names of the new ones have not stopped yet."
)

// entering returns the decision to use routes. It removes no server.
func (c change) entering(routes Routes) Decision {
	return c.decision(outcome{routes: routes, run: c.keeping(routes), move: c.moveIn(routes), job: c.keptJob(routes), blocked: proxiesFirst})
}

// waiting returns the decision to continue with the routes, and with the recorded end of their phase.
func (c change) waiting(blocked string) Decision {
	now := c.moveIn(c.routes)
	if now != nil && c.recorded != nil && samePhase(*now, *c.recorded) {
		now = c.recorded
	}
	return c.decision(outcome{routes: c.routes, run: c.keeping(c.routes), move: now, job: c.keptJob(c.routes), blocked: blocked})
}

// keeping returns the servers that exist, and those that proxies know which are desired or run.
func (c change) keeping(routes Routes) Servers {
	kept := routes.Knows()
	for _, running := range c.running {
		kept = kept.join(running.Knows())
	}
	return kept.join(c.existing())
}

// unused reports whether servers exist that steady proxies do not use.
func (c change) unused(used Servers) bool {
	return c.keeping(steady(used)) != used
}

// moveIn returns the phase for status; nil if there is none.
func (c change) moveIn(routes Routes) *v1alpha1.MoveStatus {
	switch next := c.target(routes.To); {
	case routes.Phase != Steady:
		return move(routes.movePhase(), routes.From, routes.To)
	case c.unused(routes.To):
		return move(v1alpha1.MoveRemovingServers, c.existing(), routes.To)
	case next.First != routes.To.First:
		return move(v1alpha1.MoveWaiting, routes.To, next)
	}
	return nil
}

// target returns the servers that follow others. Servers that have items keep their pods, so a change of the pod template uses the next
// range. That is one step, because no key is lost.
func (c change) target(from Servers) Servers {
	if c.Proxies.Warmup > 0 && c.Size > 0 && c.outdated(from) > from.First {
		return Servers{from.End(), c.Size}
	}
	return Servers{from.First, c.step(from.Count)}
}

// wanted reports whether spec still wants the move. New pods that preparing proxies know have the desired template.
func (c change) wanted() bool {
	r := c.routes
	return c.target(r.From) == r.To && (r.Phase == Announcing || !c.editedAgain())
}

// editedAgain reports whether the pod template was edited after new pods had started with it.
func (c change) editedAgain() bool {
	return c.routes.Replaces() && c.lastOutdated(c.routes.To, every) > 0
}

// ready reports whether all servers that a move adds, and that spec still wants, are ready.
func (c change) ready() bool {
	added := c.routes.added()
	return c.allReady(Servers{added.First, min(added.Count, c.routes.To.First+c.Size-added.First)}) && !c.editedAgain()
}

// steady begins the next step towards spec.
func (c change) steady() Decision {
	servers := c.routes.To
	next := Routes{From: servers, To: c.target(servers), Phase: Announcing}
	o := outcome{routes: c.routes, run: servers, job: c.keptJob(c.routes)}
	left := c.untilStep(c.record(c.revision, servers.Count))
	old := c.from(next.added().First) // a new server of the same name must be empty
	switch {
	case next.To == servers:
	case left > 0 && c.MaxStep > 0 && !next.Replaces():
		o.wait = left
	case next.adds() && len(old) > 0:
		o.move, o.awaited, o.blocked = move(v1alpha1.MoveWaiting, servers, next.To), old, removedServers
	case c.Proxies.Warmup == 0 && !next.adds():
		return c.entering(steady(next.To))
	default:
		return c.entering(next)
	}
	return c.decision(o)
}

// turnsBack reports whether a move in which no item has moved is to be given up. The rollout of this phase need not end before: it cannot
// if the cluster has no room for another proxy.
func (c change) turnsBack() bool {
	return c.shown && c.routes.Phase == Preparing && !c.wanted() && c.only(c.routes, c.routes.in(Announcing))
}

// announcing adds servers, or cleans those that stay, during the rollout of the proxies, and then begins the move, unless spec does not
// want it any more. If no steady proxy runs, the last proxies may have been preparing ones, so steady ones start later.
func (c change) announcing() Decision {
	r, before := c.routes, steady(c.routes.From)
	o := outcome{routes: r, run: c.keeping(r), move: c.moveIn(r), job: c.keptJob(r)}
	switch {
	case !c.shown || !c.only(r, before):
		return c.decision(o)
	case c.wanted():
		return c.beginning(o)
	case slices.Contains(c.running, before):
		return c.entering(before)
	case c.settled():
		if o.move, o.wait = c.lasting(o.move, claimDelay); o.wait == 0 { // no claim of preparing proxies is left
			return c.entering(before)
		}
	}
	return c.decision(o)
}

// beginning begins a move once its servers are ready.
func (c change) beginning(o outcome) Decision {
	clean := c.copied() || !c.CanCopy && c.Copy == nil
	if o.routes.adds() {
		o.run, clean = o.run.join(o.routes.To), true
	} else {
		o.job = c.begunJob(o.job)
	}
	switch {
	case !clean || !c.ready() || !c.settled():
		return c.decision(o)
	case c.Proxies.Warmup == 0:
		return c.entering(steady(o.routes.To))
	}
	return c.entering(o.routes.in(Preparing))
}

// preparing lets the warm-up begin.
func (c change) preparing() Decision {
	if !c.ready() {
		return c.waiting("")
	}
	return c.entering(c.routes.in(Warming))
}

// warming ends the warm-up when the Job has read all items. Proxies.Warmup is the longest time, also if no Job runs. A warm-up with a new
// pod template begins or ends later while its servers are not ready: those that have the items are removed afterwards. It does not wait for
// servers that spec has no use for, nor if spec changes what may prevent them from getting ready.
func (c change) warming() Decision {
	if c.routes.Replaces() && c.Proxies.Warmup > 0 && !c.editedAgain() && !c.ready() {
		return c.waiting("")
	}
	now, left := c.lasting(c.moveIn(c.routes), c.Proxies.Warmup)
	if left == 0 || c.copied() {
		return c.entering(c.routes.in(Closing))
	}
	return c.decision(outcome{routes: c.routes, run: c.keeping(c.routes), move: now, job: c.begunJob(c.keptJob(c.routes)), wait: left})
}

// removing removes servers that no proxy uses: they may have outdated items. Not all proxies need be available: the servers may have
// the room that they need.
func (c change) removing() Decision {
	used := c.routes.To
	o := outcome{routes: c.routes, run: c.keeping(c.routes), move: c.moveIn(c.routes), job: c.keptJob(c.routes)}
	inUse := slices.ContainsFunc(c.running, func(running Routes) bool {
		return running == Routes{} || running.Knows().join(used) != used
	})
	if inUse || !c.Proxies.Deployment.Observed {
		return c.decision(o)
	}
	if !c.allObserved() {
		o.move, o.wait = c.lasting(o.move, observationDelay)
	}
	if o.wait == 0 {
		o.run = used
	}
	return c.decision(o)
}

// allObserved reports whether the rollout of the proxies has ended, and all of them are observed. Then no former proxy starts any more, and
// each that may run is observed too: Metacontroller observes pods in the order of their changes.
func (c change) allObserved() bool {
	var current int32
	for _, proxy := range c.Proxies.Pods {
		if proxy.Routes == c.routes && proxy.Deleted == nil {
			current++
		}
	}
	return c.settled() && current >= c.Proxies.Replicas
}
