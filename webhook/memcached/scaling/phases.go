package scaling

import (
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has all about a phase of a change except its name in the API and what the proxies do (library.lua). A change from n to m
// servers, of the same set or of the other one, has these phases:
//
//	Waiting          a decrease waits until the marks of an earlier increase have ended
//	AddingServers    the new servers get ready
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
	// Preparing proxies know the servers before and after the change, and move no item.
	Preparing Phase = "preparing"
	// Warming proxies move each item that a client uses.
	Warming Phase = "warming"
	// Closing proxies know the servers before and after the change, and give up the items that have not moved.
	Closing Phase = "closing"
)

var phaseOrder = []Phase{Steady, Preparing, Warming, Closing}

// phases are the phases in status in which the proxies have a phase of their own.
var phases = map[Phase]v1alpha1.ResizePhase{
	Preparing: v1alpha1.ResizePreparing,
	Warming:   v1alpha1.ResizeWarmingUp,
	Closing:   v1alpha1.ResizeClosing,
}

// messages explain the phases to users.
var messages = map[v1alpha1.ResizePhase]string{
	v1alpha1.ResizeWaiting:         "Servers still have marks of an earlier change, or are still being removed, or proxies of an earlier change still run.",
	v1alpha1.ResizeAddingServers:   "New servers start, and the proxies use them once all are ready.",
	v1alpha1.ResizePreparing:       "The proxies are rolled out so that they find items that move.",
	v1alpha1.ResizeWarmingUp:       "The proxies are rolled out so that items move to their new servers.",
	v1alpha1.ResizeClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.ResizeRemovingServers: "Servers are removed once no running proxy uses them.",
}

// Used returns the servers that serve: those after the change, once items move.
func (r Routes) Used() Servers {
	if r.Phase == Preparing {
		return r.From
	}
	return r.To
}

// Second returns the servers that items move to before they serve, or from once they do; none if no item moves.
func (r Routes) Second() Servers {
	switch r.Phase {
	case Steady:
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
		return c.closing()
	}
	return c.steady()
}

// steady begins the next step of a change. Before, it removes servers that no proxy uses: they may have outdated items.
func (c change) steady() Plan {
	p := c.planFor(c.routes)
	servers := c.routes.To
	next := Routes{From: servers, To: c.target(servers)}
	if left := c.untilStep(p.Scaling); left > 0 && next.To != servers && !next.moves() {
		next.To, p.Wait = servers, left
	}
	switch unused := c.unused(next); {
	case len(unused) > 0:
		p.setResize(v1alpha1.ResizeRemovingServers, c.existing(unused[0]), servers)
		if c.elapsed(&p, observationDelay) {
			c.remove(&p, unused)
		}
	case next.addsTo(next.To.Set):
		return c.add(p, next)
	case next.To != servers && c.untilMarksEnd() > 0:
		p.setResize(v1alpha1.ResizeWaiting, servers, next.To)
		p.Wait = c.untilMarksEnd()
		p.Proxy.Resize.Until = seconds(c.Now.Add(p.Wait))
	case next.To != servers:
		return c.begin(next)
	}
	return p
}

// unused returns the sets with servers that neither steady proxies nor their next change uses.
func (c change) unused(next Routes) []Set {
	var sets []Set
	for _, set := range []Set{First, Second} {
		inUse := set == next.From.Set && c.existing(set).Count <= next.From.Count
		added := next.addsTo(set) && c.adding(set)
		if c.Sets[set].Workload != nil && !inUse && !added {
			sets = append(sets, set)
		}
	}
	return sets
}

// remove removes the servers of sets that steady proxies do not use.
func (c change) remove(p *Plan, sets []Set) {
	for _, set := range sets {
		if set != c.routes.To.Set {
			p.Sets[set] = DesiredSet{}
			continue
		}
		p.Sets[set].Replicas, p.Sets[set].AddedFor = c.routes.To.Count, ""
	}
}

// target returns the servers that follow others. A set that has items keeps its pods, so a change of the pod template uses the other set.
// That is one step, because no key is lost.
func (c change) target(from Servers) Servers {
	if c.Warm && c.Size > 0 && c.Sets[from.Set].outdated() {
		return Servers{from.Set.Other(), c.Size}
	}
	return Servers{from.Set, c.step(from.Count)}
}

// add adds servers, and begins the change when they are ready. They must be new: no server of the same name may have items.
func (c change) add(p Plan, next Routes) Plan {
	if c.Proxies.Deployment.Outdated { // servers are added for a rollout of the proxies, and another one follows
		p.setResize(v1alpha1.ResizeAddingServers, next.From, next.To)
		return p
	}
	set, from := next.To.Set, next.added()
	workload, existing := c.Sets[set].Workload, c.existing(set).Count
	if old, wait := c.serversFrom(set, from); !c.adding(set) && (old || workload == nil && !next.moves() || workload != nil && existing > from) {
		p.setResize(v1alpha1.ResizeWaiting, next.From, next.To)
		p.Wait = soonest(p.Wait, wait)
		return p
	}
	p.Sets[set] = DesiredSet{Exists: true, Replicas: next.To.Count, AddedFor: c.revision.String(), KeepsTemplate: !next.moves() && p.Sets[set].KeepsTemplate}
	p.setResize(v1alpha1.ResizeAddingServers, next.From, next.To)
	if existing < next.To.Count || !c.ready(next) {
		return p
	}
	return c.begin(next)
}

// adding reports whether servers of a set were added for this rollout of the proxies.
func (c change) adding(set Set) bool {
	workload := c.Sets[set].Workload
	return workload != nil && workload.AddedFor == c.revision.String()
}

// ready reports whether all servers that a change adds, and that spec still wants, are ready. Those of another set must have the desired
// pod template.
func (c change) ready(next Routes) bool {
	set := c.Sets[next.To.Set]
	return set.allReady(next.added(), min(next.To.Count, c.Size)) && (!next.moves() || set.Workload != nil && set.Workload.Current && set.Workload.Updated)
}

// begin begins a change. It keeps the end of the marks, also a past one, so that proxies that turn back are those of before, and none has to
// start.
func (c change) begin(next Routes) Plan {
	if c.Proxies.Warmup == 0 {
		return c.planFor(steady(next.To, c.routes.MarksEnd))
	}
	next.Phase, next.MarksEnd = Preparing, c.routes.MarksEnd
	return c.planFor(next)
}

// turnsBack reports whether a change in which no item has moved is to be given up: spec no longer wants it, or the servers in use have
// nothing to move. The rollout of this phase need not end before: it cannot if the cluster has no room for another proxy.
func (c change) turnsBack() bool {
	r := c.routes
	wanted := c.target(r.From) == r.To && (!r.moves() || c.Sets[r.To.Set].current())
	if wanted || !c.shown || r.Phase != Preparing {
		return false
	}
	return !slices.ContainsFunc(c.running, func(running Routes) bool { // somebody may have edited the label of the Deployment
		return running != r && running != steady(r.From, running.MarksEnd)
	})
}

// preparing lets the warm-up begin.
func (c change) preparing() Plan {
	next := c.routes
	if next.addsTo(next.To.Set) && !c.ready(next) {
		return c.plan()
	}
	next.Phase, next.MarksEnd = Warming, max(next.MarksEnd, c.marksEnd())
	return c.planFor(next)
}

// warming ends the warm-up when the Job has read all items. Proxies.Warmup is the longest time, also if no Job runs.
func (c change) warming() Plan {
	if c.awaitsServers() {
		return c.plan()
	}
	p, next := c.planFor(c.routes), c.routes
	c.beginCopy(&p)
	job := c.copyOf(c.routes)
	switch {
	case c.elapsed(&p, c.Proxies.Warmup), job != nil && job.Complete:
		next.Phase = Closing
	case next.grows() && p.Proxy.Resize.Until.Unix() > next.MarksEnd: // an edit has interrupted the warm-up for so long that marks would end before it
		next.MarksEnd = c.marksEnd()
	default:
		return p
	}
	return c.planFor(next)
}

// awaitsServers reports whether a warm-up begins or ends later because servers of another set are not ready: the set that has the items is
// removed afterwards. It does not wait for servers that spec has no use for, nor if spec changes what may prevent them from getting ready.
func (c change) awaitsServers() bool {
	return c.routes.moves() && c.Warm && c.Sets[c.routes.To.Set].current() && !c.ready(c.routes)
}

// closing ends the change. The marks are on servers that are removed, unless servers were added to the same set.
func (c change) closing() Plan {
	if c.routes.grows() {
		return c.planFor(steady(c.routes.To, c.routes.MarksEnd))
	}
	return c.planFor(steady(c.routes.To, 0))
}
