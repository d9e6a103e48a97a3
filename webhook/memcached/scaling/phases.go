package scaling

import (
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has all about a phase of a change except its name in the API and what the proxies do (library.lua). A change from n to m
// servers, of the same set or of the other one, has these phases:
//
//	Waiting          removed servers stop: new ones of the same name must be empty
//	AddingServers    the new servers get ready. Rollout of the proxies: n servers have the items, and the proxies know what follows
//	Cleaning         the same before a decrease, in which a Job deletes from the m servers what earlier changes have left there
//	Preparing        rollout of the proxies: n servers have the items, and the proxies follow items that others move
//	WarmingUp        rollout of the proxies: items move to m servers. Then the warm-up begins
//	Closing          rollout of the proxies: m servers have the items, and no item moves
//	RemovingServers  rollout of the proxies: they know m servers alone. Then other servers are removed

// Phase is a phase of the proxies during a change of the servers. The proxies enter the phases in their order, each by a rollout.
// Proxies of two successive phases run at the same time during a rollout, and never those of other phases.
type Phase string

// The phases of the proxies.
const (
	// Steady proxies know the servers that serve alone.
	Steady Phase = ""
	// Announcing proxies use the servers before the change alone, and hide what preparing proxies write there.
	Announcing Phase = "announcing"
	// Preparing proxies know the servers before and after the change, and move no item.
	Preparing Phase = "preparing"
	// Warming proxies move each item that a client uses.
	Warming Phase = "warming"
	// Closing proxies know the servers before and after the change, and give up the items that have not moved.
	Closing Phase = "closing"
)

var phaseOrder = []Phase{Steady, Announcing, Preparing, Warming, Closing}

// resizePhase returns the phase in status of proxies that are not steady.
func (r Routes) resizePhase() v1alpha1.ResizePhase {
	switch {
	case r.Phase == Announcing && r.adds():
		return v1alpha1.ResizeAddingServers
	case r.Phase == Announcing:
		return v1alpha1.ResizeCleaning
	case r.Phase == Preparing:
		return v1alpha1.ResizePreparing
	case r.Phase == Warming:
		return v1alpha1.ResizeWarmingUp
	}
	return v1alpha1.ResizeClosing
}

// messages explain the phases to users.
var messages = map[v1alpha1.ResizePhase]string{
	v1alpha1.ResizeWaiting:         "Removed servers or proxies of an earlier change still run.",
	v1alpha1.ResizeAddingServers:   "New servers start, and the proxies are rolled out so that they expect the change.",
	v1alpha1.ResizeCleaning:        "A Job deletes what earlier changes have left on the remaining servers, and the proxies are rolled out so that they expect the change.",
	v1alpha1.ResizePreparing:       "The proxies are rolled out so that they find items that move.",
	v1alpha1.ResizeWarmingUp:       "The proxies are rolled out so that items move to their new servers.",
	v1alpha1.ResizeClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.ResizeRemovingServers: "Servers are removed once no running proxy uses them.",
}

// Used returns the servers that serve: those after the change, once items move.
func (r Routes) Used() Servers {
	if r.Phase == Announcing || r.Phase == Preparing {
		return r.From
	}
	return r.To
}

// Second returns the servers that items move to before they serve, or from once they do; none if the proxies do not use them.
func (r Routes) Second() Servers {
	switch r.Phase {
	case Steady, Announcing:
		return Servers{}
	case Preparing:
		return r.To
	}
	return r.From
}

// next returns the decision when all proxies have the routes of a phase.
func (c change) next() Plan {
	switch c.routes.Phase {
	case Preparing:
		return c.preparing()
	case Warming:
		return c.warming()
	case Closing:
		return c.planFor(steady(c.routes.To))
	}
	return c.steady()
}

// steady begins the next step of a change.
func (c change) steady() Plan {
	p := c.planFor(c.routes)
	servers := c.routes.To
	next := Routes{From: servers, To: c.target(servers), Phase: Announcing}
	if left := c.untilStep(p.Scaling); left > 0 && next.To != servers && !next.moves() {
		next.To, p.Wait = servers, left
	}
	old := c.serversFrom(next.To.Set, next.added()) // a new server of the same name must be empty
	switch {
	case next.To == servers:
	case next.adds() && (len(old) > 0 || c.Sets[next.To.Set].Workload == nil && !next.moves()):
		p.setResize(v1alpha1.ResizeWaiting, servers, next.To)
		c.await(&p, old...)
	case c.Proxies.Warmup == 0 && !next.adds():
		return c.planFor(steady(next.To))
	default:
		return c.planFor(next)
	}
	return p
}

// unused returns the sets with servers that steady proxies do not use.
func (c change) unused(servers Servers) []Set {
	var sets []Set
	for set, observed := range c.Sets {
		inUse := Set(set) == servers.Set && observed.existing() <= servers.Count
		if observed.Workload != nil && !inUse {
			sets = append(sets, Set(set))
		}
	}
	return sets
}

// removeUnused removes servers that no proxy uses: they may have outdated items. Not all proxies need be available: the servers may have
// the room that they need.
func (c change) removeUnused() Plan {
	p := c.planFor(c.routes)
	inUse := slices.ContainsFunc(c.running, func(running Routes) bool {
		return running == Routes{} || running.In(First) > c.routes.In(First) || running.In(Second) > c.routes.In(Second)
	})
	if inUse || !c.Proxies.Deployment.Observed || !c.allObserved() && !c.elapsed(&p, observationDelay) {
		return p
	}
	for _, set := range c.unused(c.routes.To) {
		if p.Sets[set].Replicas = c.routes.In(set); p.Sets[set].Replicas == 0 {
			p.Sets[set] = DesiredSet{}
		}
	}
	return p
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

// target returns the servers that follow others. A set that has items keeps its pods, so a change of the pod template uses the other set.
// That is one step, because no key is lost.
func (c change) target(from Servers) Servers {
	if c.Warm && c.Size > 0 && c.Sets[from.Set].outdated() {
		return Servers{from.Set.Other(), c.Size}
	}
	return Servers{from.Set, c.step(from.Count)}
}

// wanted reports whether spec still wants the change. A template that changes again can change pods that have no items yet.
func (c change) wanted() bool {
	r := c.routes
	return c.target(r.From) == r.To && (r.Phase == Announcing || !r.moves() || c.Sets[r.To.Set].current())
}

// only reports whether all proxies that may run have one of two routes.
func (c change) only(a, b Routes) bool {
	return !slices.ContainsFunc(c.running, func(running Routes) bool { return running != a && running != b })
}

// turnsBack reports whether a change in which no item has moved is to be given up. The rollout of this phase need not end before: it cannot
// if the cluster has no room for another proxy.
func (c change) turnsBack() bool {
	return c.shown && c.routes.Phase == Preparing && !c.wanted() && c.only(c.routes, c.routes.in(Announcing))
}

// announcing adds servers, or cleans those that stay, during the rollout of the proxies, and then begins the change, unless spec does not
// want it any more. If no steady proxy runs, the last proxies may have been preparing ones, so steady ones start later.
func (c change) announcing() Plan {
	p, r, before := c.planFor(c.routes), c.routes, steady(c.routes.From)
	if !c.shown || !c.only(r, before) {
		return p
	}
	if !c.wanted() {
		return c.giveUp(p, before)
	}
	if r.adds() {
		added := &p.Sets[r.To.Set]
		added.Exists, added.Replicas = true, max(added.Replicas, r.To.Count)
		added.KeepsTemplate = added.KeepsTemplate && !r.moves()
	} else {
		c.beginCopy(&p)
	}
	switch clean := r.adds() || c.copied() || !c.CanCopy && c.Copy == nil; {
	case !clean || !c.ready() || !c.settled():
		return p
	case c.Proxies.Warmup == 0:
		return c.planFor(steady(r.To))
	}
	return c.planFor(r.in(Preparing))
}

// giveUp returns to the proxies of before, when no claim of preparing proxies is left.
func (c change) giveUp(p Plan, before Routes) Plan {
	if slices.Contains(c.running, before) || c.settled() && c.elapsed(&p, claimDelay) {
		return c.planFor(before)
	}
	return p
}

// ready reports whether all servers that a change adds, and that spec still wants, are ready. Those of another set must have the desired
// pod template.
func (c change) ready() bool {
	r, set := c.routes, c.Sets[c.routes.To.Set]
	return set.allReady(r.added(), min(r.To.Count, c.Size)) && (!r.moves() || set.Workload != nil && set.Workload.Current && set.Workload.Updated)
}

// preparing lets the warm-up begin.
func (c change) preparing() Plan {
	if !c.ready() {
		return c.plan()
	}
	return c.planFor(c.routes.in(Warming))
}

// warming ends the warm-up when the Job has read all items. Proxies.Warmup is the longest time, also if no Job runs.
func (c change) warming() Plan {
	if c.awaitsServers() {
		return c.plan()
	}
	p := c.planFor(c.routes)
	c.beginCopy(&p)
	if c.elapsed(&p, c.Proxies.Warmup) || c.copied() {
		return c.planFor(c.routes.in(Closing))
	}
	return p
}

// awaitsServers reports whether a warm-up begins or ends later because servers of another set are not ready: the set that has the items is
// removed afterwards. It does not wait for servers that spec has no use for, nor if spec changes what may prevent them from getting ready.
func (c change) awaitsServers() bool {
	return c.routes.moves() && c.Warm && c.Sets[c.routes.To.Set].current() && !c.ready()
}
