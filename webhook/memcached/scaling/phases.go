package scaling

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

// This file has all about a phase of a change of size except its name in the API and what the proxies do (library.lua). A change from
// n to m servers has these phases:
//
//	Waiting          a decrease waits until the marks of an earlier increase have ended
//	AddingServers    the new servers get ready
//	Preparing        rollout of the proxies: n servers have the items, and the proxies follow items that others move
//	WarmingUp        rollout of the proxies: items move to m servers. Then the warm-up begins
//	Closing          rollout of the proxies: m servers have the items, and no item moves
//	RemovingServers  rollout of the proxies: they know m servers alone. Then other servers are removed

// Phase is a phase of the proxies during a change of size. The proxies enter the phases in their order, each by a rollout.
// Proxies of two successive phases run at the same time during a rollout, and never those of other phases.
type Phase string

// The phases of the proxies.
const (
	// Steady proxies know the servers of one size.
	Steady Phase = ""
	// Preparing proxies know the servers of both sizes, and move no item.
	Preparing Phase = "preparing"
	// Warming proxies move each item that a client uses.
	Warming Phase = "warming"
	// Closing proxies know the servers of both sizes, and give up the items that have not moved.
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
	v1alpha1.ResizeWaiting:         "Servers still have marks of an earlier change, or are still being removed.",
	v1alpha1.ResizeAddingServers:   "New servers start, and the proxies use them once all are ready.",
	v1alpha1.ResizePreparing:       "The proxies are rolled out so that they find items that move.",
	v1alpha1.ResizeWarmingUp:       "The proxies are rolled out so that items move to their new servers.",
	v1alpha1.ResizeClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.ResizeRemovingServers: "Servers are removed once no running proxy uses them.",
}

// Used returns the number of servers that serve: those after the change, once items move.
func (r Routes) Used() int32 {
	if r.Phase == Preparing {
		return r.From
	}
	return r.To
}

// Second returns the number of servers that items move to before they serve, or from once they do; 0 if no item moves.
func (r Routes) Second() int32 {
	switch r.Phase {
	case Steady:
		return 0
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
	target := c.step(servers)
	if left := c.untilStep(p.Scaling); left > 0 && target != servers {
		target, p.Wait = servers, left
	}
	added := c.adding() && target > servers
	switch {
	case c.existing > servers && c.Workload != nil && !added:
		p.setResize(v1alpha1.ResizeRemovingServers, c.existing, servers)
		if c.elapsed(&p, observationDelay) {
			p.Servers = servers
		}
	case target > servers:
		return c.add(p, target)
	case target < servers && c.untilMarksEnd() > 0:
		p.setResize(v1alpha1.ResizeWaiting, servers, target)
		p.Wait = c.untilMarksEnd()
		p.Proxy.Resize.Until = seconds(c.Now.Add(p.Wait))
	case target < servers:
		return c.begin(target, 0)
	}
	return p
}

// add adds servers, and begins the change when they are ready. They must be new: no server of the same name may have items.
func (c change) add(p Plan, target int32) Plan {
	servers := c.routes.To
	if old, wait := c.serversFrom(servers); !c.adding() && (old || c.Workload == nil || c.existing > servers) {
		p.setResize(v1alpha1.ResizeWaiting, servers, target)
		p.Wait = soonest(p.Wait, wait)
		return p
	}
	p.Servers, p.AddedFor = target, c.revision.String()
	p.setResize(v1alpha1.ResizeAddingServers, servers, target)
	if c.existing < target || !c.ready(servers, target) {
		return p
	}
	return c.begin(target, c.routes.MarksEnd)
}

// adding reports whether servers were added for this rollout of the proxies.
func (c change) adding() bool {
	return c.Workload != nil && c.Workload.AddedFor == c.revision.String()
}

// ready reports whether all servers from an ordinal to another one are ready.
func (c change) ready(from, to int32) bool {
	for ordinal := from; ordinal < to; ordinal++ {
		if !c.Servers[ordinal].Ready {
			return false
		}
	}
	return true
}

func (c change) begin(target int32, marksEnd int64) Plan {
	if c.Proxies.Warmup == 0 {
		return c.planFor(steady(target, marksEnd))
	}
	return c.planFor(Routes{From: c.routes.To, To: target, Phase: Preparing, MarksEnd: marksEnd})
}

// preparing lets the warm-up begin. This is the only phase in which a change turns back: no item has moved.
func (c change) preparing() Plan {
	next := c.routes
	switch {
	case c.step(next.From) != next.To:
		return c.planFor(steady(next.From, next.MarksEnd))
	case next.grows() && !c.ready(next.From, next.To):
		return c.plan()
	}
	next.Phase, next.MarksEnd = Warming, max(next.MarksEnd, c.marksEnd())
	return c.planFor(next)
}

// warming ends the warm-up when the Job has read all items. Proxies.Warmup is the longest time, also if no Job runs.
func (c change) warming() Plan {
	p, next := c.planFor(c.routes), c.routes
	c.beginCopy(&p)
	job := c.copyOf(c.routes)
	switch {
	case c.elapsed(&p, c.Proxies.Warmup), job != nil && job.Complete:
		next.Phase = Closing
	case p.Proxy.Resize.Until.Unix() > next.MarksEnd: // an edit has interrupted the warm-up for so long that marks would end before it
		next.MarksEnd = c.marksEnd()
	default:
		return p
	}
	return c.planFor(next)
}

// closing ends the change. The marks of a decrease are on servers that are removed.
func (c change) closing() Plan {
	if c.routes.grows() {
		return c.planFor(steady(c.routes.To, c.routes.MarksEnd))
	}
	return c.planFor(steady(c.routes.To, 0))
}
