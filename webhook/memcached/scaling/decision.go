package scaling

import (
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Decision is the desired state.
type Decision struct {
	// Run are the pods of the StatefulSet, which has the desired pod template. The first Partition pods keep the one that they have.
	Run       Range
	Partition int32
	// Proxies is the desired number of proxies, and Routes are what they do.
	Proxies int32
	Routes  Routes
	// Replaced is the number of servers whose nodes do not respond, and whose slots spares have; 0 while items move.
	Replaced int32
	// Unreached reports whether proxies with these routes can reach no server: a rollout may replace all of them at once.
	Unreached bool
	// Job is the desired Job; the zero value if there is none.
	Job Job
	// Scaling is the step to record in status; nil without maxStep.
	Scaling *v1alpha1.ScalingStatus
	// Proxy is the move to record in status; nil if no proxy runs or is desired. Its other fields are not set.
	Proxy *v1alpha1.ProxyStatus
	// Wait is the time until the decision may differ although no object changes; 0 if there is no such time.
	Wait time.Duration

	// Report is what users read about the move beside Proxy.
	Report Report
}

// Decide returns the decision. It finds out where the cache is (where.go), asks the phase for what follows (phases.go; withoutproxies.go if the
// proxies stop), and completes that to a decision.
func (f Facts) Decide() Decision {
	if !f.Proxies.Desired && f.Status.Proxy == nil && f.gone() {
		return f.direct()
	}
	c := f.current()
	o := c.next()
	if o.done {
		return f.direct()
	}
	return c.complete(o)
}

// next returns what follows.
func (c current) next() outcome {
	switch {
	case !c.Proxies.Desired:
		return c.removeProxies()
	case c.Predecessor && c.Size > 0 && !c.hasBegun():
		return c.awaitPredecessor(c.created())
	case c.Orphans && c.Size > 0 && c.routes.Phase == Steady:
		return c.awaitPredecessor(c.routes)
	case c.mustStopAll():
		return c.stopAll()
	case c.unknown() && !c.templateChanged():
		return c.stay()
	}
	return c.inPhase()
}

// unknown reports whether it is not known which pods have the desired template: it is not in the StatefulSet, or its controller
// has not observed it.
func (f Facts) unknown() bool {
	return f.Workload == nil || !f.Workload.TemplateApplied || !f.Workload.CaughtUp
}

// templateChanged reports whether the pod template was edited between two moves, and the StatefulSet does not have it yet: then no pod has it. So the
// move begins at once, and proxies that the edit replaces too are replaced once.
func (c current) templateChanged() bool {
	return c.routes.Phase == Steady && c.Workload != nil && !c.Workload.TemplateApplied
}

// outcome is a decision of which the function of a phase has set Run, Routes, Report, Job and Wait. The rest follows from them.
type outcome struct {
	Decision
	// withoutProxies reports whether no proxy is to run, and done whether none is left and status need not have them any more.
	withoutProxies, done bool
	// awaited are pods that must stop first.
	awaited []Pod
}

// complete returns the decision for an outcome.
func (c current) complete(o outcome) Decision {
	d, serving := o.Decision, o.Routes.To.Slots.Count
	if d.Routes.Phase == Steady && c.returned(d.Routes.To) == d.Routes.To {
		d.Replaced = int32(len(d.Routes.To.Spares()))
	}
	d.Partition, d.Unreached = c.partition(d.Routes, d.Run), !c.reaches(d.Routes)
	d.Proxies, d.Proxy = c.Proxies.Replicas, record(d.Routes, c.revision, d.Report)
	if o.withoutProxies {
		d.Proxies, serving = 0, 0
	}
	if c.MaxStep > 0 {
		d.Scaling = c.stepStatus(c.revision, serving)
	}
	for _, proxy := range c.Proxies.Pods {
		if proxy.Routes != c.routes || o.withoutProxies {
			o.awaited = append(o.awaited, proxy.Pod)
		}
	}
	overdue, wait := c.overdue(o.awaited)
	d.Wait = soonest(wait, d.Wait)
	d.Report.Explanation, d.Report.Overdue = c.explanation(o), overdue
	d.Report.Settled = d.Routes == c.routes && c.proxiesSettled()
	return d
}

// overdue returns the first pod, by name, that does not end by itself, which is the same in each sync, and when the next grace period is over.
func (f Facts) overdue(pods []Pod) (first Pod, wait time.Duration) {
	for _, pod := range pods {
		if pod.Deleted == nil {
			continue
		}
		left := pod.Deleted.Sub(f.Now)
		switch {
		case left > 0 && !pod.Lost:
			wait = soonest(wait, left)
		case first.Name == "" || pod.Name < first.Name:
			first = pod
		}
	}
	return first, wait
}

// soonest returns the shorter of two times, of which 0 is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
