package scaling

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Decision is the desired state.
type Decision struct {
	// Run are the pods of the StatefulSet, which has the desired pod template. The first Partition pods keep the one that they have.
	Run       Servers
	Partition int32
	// Proxies is the desired number of proxies, and Routes are what they do.
	Proxies int32
	Routes  Routes
	// Job is the desired Job; the zero value if there is none.
	Job Job
	// Scaling is the step to record in status; nil without maxStep.
	Scaling *v1alpha1.ScalingStatus
	// Proxy is the move to record in status; nil if no proxy runs or is desired. Its other fields are not set.
	Proxy *v1alpha1.ProxyStatus
	// Wait is the time until the decision may differ although no object changes; 0 if there is no such time.
	Wait time.Duration
	// Overdue is the name of a pod that the move waits for, and that still exists after its grace period; "" if there is none.
	Overdue string
}

// Decide returns the decision.
func (f Facts) Decide() Decision {
	c := f.change()
	switch {
	case !f.Proxies.Desired && f.Status.Proxy == nil && f.gone():
		return f.direct()
	case !f.Proxies.Desired:
		return c.leaving()
	case f.Predecessor && (f.Proxies.Deployment == nil || f.Proxies.Deployment.Replicas == 0):
		return c.succeeding()
	case c.stops():
		return c.stopping()
	case f.unknown() && !c.outdatesAll():
		return c.waiting()
	}
	return phases[c.routes.Phase](c)
}

// outdatesAll reports whether the pod template was edited between two moves, and the StatefulSet does not have it yet: then no pod has it. So the
// move begins at once, and proxies that the edit replaces too are replaced once.
func (c change) outdatesAll() bool {
	return c.routes.Phase == Steady && c.Workload != nil && !c.Workload.Current
}

// change is a move with proxies, or none, as far as it is observed.
type change struct {
	Facts
	// revision is that of the Deployment of the proxies; the zero value if none is observed.
	revision v1alpha1.Revision
	// routes are those to continue from. They are shown if the Deployment has them.
	routes Routes
	shown  bool
	// running are the routes of the proxies that may run.
	running []Routes
	// recorded is the phase that status records for this revision; nil if there is none.
	recorded *v1alpha1.MoveStatus
}

func (f Facts) change() change {
	c := change{Facts: f, routes: f.routes()}
	for _, proxy := range f.Proxies.Pods {
		c.running = append(c.running, proxy.Routes)
	}
	d, status := f.Proxies.Deployment, f.Status.Proxy
	if d != nil {
		c.revision, c.shown = d.Revision, d.Routes == c.routes
	}
	starts := f.Proxies.Desired && f.Size > 0 && (d == nil || d.Replicas == 0) // this ends each wait
	if status != nil && status.Controller.Observed.Equal(c.revision) && RecordedRoutes(status) == c.routes && !starts {
		c.recorded = status.Move
	}
	return c
}

// stopped reports whether no proxy runs, and the Deployment starts none.
func (f Facts) stopped() bool {
	d := f.Proxies.Deployment
	return len(f.Proxies.Pods) == 0 && d != nil && d.Replicas == 0 && d.RolledOut
}

// gone reports whether no proxy runs, and no Deployment starts one.
func (f Facts) gone() bool { return len(f.Proxies.Pods) == 0 && f.Proxies.Deployment == nil }

// settled reports whether all desired proxies are available, and no proxy that may run has other routes.
func (c change) settled() bool {
	d := c.Proxies.Deployment
	return c.shown && d.RolledOut && d.Replicas == c.Proxies.Replicas && c.only(c.routes, c.routes)
}

// only reports whether all proxies that may run have one of two routes.
func (c change) only(a, b Routes) bool {
	return !slices.ContainsFunc(c.running, func(running Routes) bool { return running != a && running != b })
}

// outcome is what the function of a phase decides. The rest of a decision follows from it.
type outcome struct {
	routes Routes
	run    Servers
	// stops reports whether no proxy is to run.
	stops bool
	// move is the phase for status; nil if there is none.
	move *v1alpha1.MoveStatus
	job  Job
	// wait is the time until the phase ends; 0 if no time ends it. awaited are pods that must stop first.
	wait    time.Duration
	awaited []Pod
}

// outcome returns the outcome to use routes. It removes no server.
func (c change) outcome(routes Routes) outcome {
	return outcome{routes: routes, run: c.keeping(routes), move: c.moveIn(routes), job: c.keptJob(routes)}
}

// decision returns the decision for an outcome.
func (c change) decision(o outcome) Decision {
	d := Decision{Run: o.run, Partition: c.partition(o.routes, o.run), Proxies: c.Proxies.Replicas, Routes: o.routes, Job: o.job, Proxy: remember(o.routes, c.revision, o.move)}
	serving := o.routes.To.Count
	if o.stops {
		d.Proxies, serving = 0, 0
	}
	if c.MaxStep > 0 {
		d.Scaling = c.record(c.revision, serving)
	}
	for _, proxy := range c.Proxies.Pods {
		if proxy.Routes != c.routes || o.stops {
			o.awaited = append(o.awaited, proxy.Pod)
		}
	}
	d.Overdue, d.Wait = c.overdue(o.awaited)
	d.Wait = soonest(d.Wait, o.wait)
	return d
}

// overdue returns the first name of a pod whose grace period is over, which is the same in each sync, and when the next one is.
func (f Facts) overdue(pods []Pod) (name string, wait time.Duration) {
	for _, pod := range pods {
		if pod.Deleted == nil {
			continue
		}
		if left := pod.Deleted.Sub(f.Now); left > 0 {
			wait = soonest(wait, left)
		} else if name == "" || pod.Name < name {
			name = pod.Name
		}
	}
	return name, wait
}

// partition returns how many of the first pods keep the pod template that they have: up to the last pod that may have items and is not known
// to have the desired template. The template and the partition are written together, so an edit of the template replaces no pod in use.
func (c change) partition(routes Routes, run Servers) int32 {
	kept, end := run, int32(0)
	switch {
	case routes.Phase == Steady && routes.To.Span().contains(run):
		if c.Proxies.Warmup > 0 {
			end = c.outdated(routes.To)
		}
	case routes.Phase == Announcing && c.only(routes, steady(routes.From)): // no proxy knows the new servers yet
		kept = routes.From.Span()
		fallthrough
	default:
		end = c.end(Pool{Servers: kept}, every)
	}
	if routes.Replaces() {
		end = max(end, routes.From.Span().End())
	}
	return max(0, min(end, kept.End())-run.First)
}

// outdated returns the ordinal after the last server that has items and is not known to have the desired template; 0 if there is none.
func (f Facts) outdated(p Pool) int32 {
	if f.haveItems() {
		return f.end(p, f.withItems())
	}
	return 0
}

// end returns the ordinal after the last of those servers that count and are not known to have the desired template. While nothing
// is known, the partition stays.
func (f Facts) end(p Pool, counts func(Server) bool) int32 {
	switch w, end := f.Workload, p.Span().End(); {
	case w == nil || !w.Current:
		return end
	case !w.Observed && end > w.Run.End(): // it has not had all of them
		return end
	case !w.Observed:
		return w.Run.First + min(w.Partition, w.Run.Count)
	}
	return f.lastOutdated(p, counts)
}
