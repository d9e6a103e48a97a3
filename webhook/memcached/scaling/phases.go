package scaling

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

// Each function of this file decides what follows when all proxies have the routes of its phase.

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
