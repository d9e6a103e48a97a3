package scaling

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has all about a phase of a move except its name in the API and what the proxies do (library.lua). A move from n to m
// servers has these phases:
//
//	Waiting          what must end first
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

// phases decide what follows in a phase of the proxies.
var phases = map[Phase]func(change) Decision{
	Steady: change.steady, Announcing: change.announcing, Preparing: change.preparing, Warming: change.warming, Closing: change.closing,
}

// entering returns the decision to use routes.
func (c change) entering(routes Routes) Decision { return c.decision(c.outcome(routes)) }

// waiting returns the decision to continue with the routes, and with the recorded end of their phase.
func (c change) waiting() Decision {
	o := c.outcome(c.routes)
	if o.move != nil && c.recorded != nil && samePhase(*o.move, *c.recorded) {
		o.move = c.recorded
	}
	return c.decision(o)
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
func (c change) unused(used Pool) bool {
	return c.keeping(steady(used)) != used.Span()
}

// moveIn returns the phase for status; nil if there is none.
func (c change) moveIn(routes Routes) *v1alpha1.MoveStatus {
	switch {
	case routes.Phase != Steady:
		return move(routes.movePhase(), routes.From, routes.To)
	case c.unused(routes.To):
		return removal(c.existing(), routes.To.Span())
	}
	if next := (Routes{From: routes.To, To: c.target(routes.To)}); next.Replaces() || next.Spares() {
		return move(v1alpha1.MoveWaiting, next.From, next.To)
	}
	return nil
}

// target returns the servers that follow others. A server that is being deleted comes first: its time is limited. Servers that have items
// keep their pods, so a change of the pod template uses the next range. That is one step, because no key is lost.
func (c change) target(from Pool) Pool {
	warm := c.Proxies.Warmup > 0 && c.Size > 0
	if slot := c.terminating(from); warm && slot > 0 {
		return Pool{from.Servers, slot}
	}
	switch {
	case warm && c.outdated(from) > from.First:
		return Pool{Servers: Servers{from.Span().End(), c.Size}}
	case from.Spared > 0:
		return Pool{Servers: from.Servers}
	}
	return Pool{Servers: Servers{from.First, c.step(from.Count)}}
}

// terminating returns the slot, from 1 on, of a server that is being deleted and holds; 0 if there is none, or if the spare is in use. It is
// the one whose slot already moves, or else the one whose time ends first.
func (c change) terminating(from Pool) (slot int32) {
	if from.Spared > 0 {
		return 0
	}
	if to := c.routes.To; c.routes.From == from && c.holdsOn(to.Absent()) {
		return to.Spared
	}
	var first time.Time
	for i, ordinal := range from.Ordinals() {
		if c.holdsOn(ordinal) && (slot == 0 || c.Servers[ordinal].Deleted.Before(first)) {
			slot, first = int32(i)+1, *c.Servers[ordinal].Deleted
		}
	}
	return slot
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

// ready reports whether all servers that a move adds, and that spec still wants, are ready. One that proxies know already may be terminating: it
// still serves, and its items move after this move.
func (c change) ready() bool {
	added := c.routes.added()
	if !c.routes.Spares() || c.routes.Replaces() {
		added.Count = min(added.Count, c.routes.To.First+c.Size-added.First)
	}
	return c.allReady(added, c.routes.Phase != Announcing) && !c.editedAgain()
}

// steady removes servers that no proxy uses any more, and then begins the next step towards spec.
func (c change) steady() Decision {
	switch {
	case c.shown && c.unused(c.routes.To):
		return c.removing()
	case !c.settled():
		return c.waiting()
	}
	used := c.routes.To
	next := Routes{From: used, To: c.target(used), Phase: Announcing}
	o := outcome{routes: c.routes, run: used.Span(), job: c.keptJob(c.routes)}
	left := c.untilStep(c.record(c.revision, used.Count))
	old := c.from(next.added().First) // a new server of the same name must be empty
	switch {
	case next.To == used:
	case left > 0 && c.MaxStep > 0 && next.Resizes():
		o.wait = left
	case next.adds() && !next.cleans() && len(old) > 0:
		o.move, o.awaited = move(v1alpha1.MoveWaiting, used, next.To), old
	case c.Proxies.Warmup == 0 && !next.adds():
		return c.entering(steady(next.To))
	default:
		return c.entering(next)
	}
	return c.decision(o)
}

// announcing adds servers, or cleans those that stay, during the rollout of the proxies, and then begins the move, unless spec does not
// want it any more. If no steady proxy runs, the last proxies may have been preparing ones, so steady ones start later.
func (c change) announcing() Decision {
	r, before := c.routes, steady(c.routes.From)
	o := c.outcome(r)
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
	clean := !o.routes.cleans() || c.jobComplete() || !c.CanRunJob && c.Job == nil
	o.run = o.run.join(o.routes.To.Span())
	if o.routes.Returns() {
		o.awaited = []Pod{c.Servers[o.routes.From.Absent()].Pod} // it starts again when it has stopped
	}
	if o.routes.cleans() && c.ready() {
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

// preparing lets the warm-up begin. A move that spec does not want any more is given up, because no item has moved. That does not wait for
// the rollout of this phase: it cannot end if the cluster has no room for another proxy.
func (c change) preparing() Decision {
	announcing := c.routes.in(Announcing)
	switch {
	case c.shown && !c.wanted() && c.only(c.routes, announcing):
		return c.entering(announcing)
	case !c.settled() || !c.ready():
		return c.waiting()
	}
	return c.entering(c.routes.in(Warming))
}

// warming ends the warm-up when the Job has read all items. Proxies.Warmup is the longest time, also if no Job runs. A warm-up with a new
// pod template begins or ends later while its servers are not ready: those that have the items are removed afterwards. It does not wait for
// servers that spec has no use for, nor if spec changes what may prevent them from getting ready. It also ends when the server that was being
// deleted has stopped: nothing is left to move.
func (c change) warming() Decision {
	if !c.settled() || c.routes.Replaces() && c.Proxies.Warmup > 0 && !c.editedAgain() && !c.ready() {
		return c.waiting()
	}
	o := c.outcome(c.routes)
	o.job = c.begunJob(o.job)
	if o.move, o.wait = c.lasting(o.move, c.Proxies.Warmup); o.wait == 0 || c.jobComplete() || c.decided(Closing) || c.routes.toSpare() && c.hasStopped(c.routes.To.Absent()) {
		return c.entering(c.routes.in(Closing))
	}
	return c.decision(o)
}

// closing ends the move.
func (c change) closing() Decision {
	if !c.settled() {
		return c.waiting()
	}
	return c.entering(steady(c.routes.To))
}

// removing removes servers that no proxy uses: they may have outdated items. Not all proxies need be available: the servers may have
// the room that they need.
func (c change) removing() Decision {
	used, o := c.routes.To.Span(), c.outcome(c.routes)
	inUse := slices.ContainsFunc(c.running, func(running Routes) bool {
		return running == Routes{} || !used.contains(running.Knows())
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
