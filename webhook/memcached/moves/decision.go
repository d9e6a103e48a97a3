package moves

import (
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Decision is the desired state.
type Decision struct {
	// Ordinals are the pods of the StatefulSet, which has the desired pod template. The first Partition pods keep the one that they have.
	Ordinals  Range
	Partition int32
	// ProxyReplicas is the desired number of proxies, and Routes are what they do.
	ProxyReplicas int32
	Routes        Routes
	// StuckServers is the number of pods that do not end, and whose slots spares have; 0 while items move.
	StuckServers int32
	// Unreached reports whether proxies with these routes can reach no server: a rollout may replace all of them at once.
	Unreached bool
	// Job is the desired Job; the zero value if there is none.
	Job DesiredJob
	// Scaling is the step to record in status; nil without maxStep.
	Scaling *v1alpha1.ScalingStatus
	// ProxyStatus is the move to record in status; nil if no proxy runs or is desired. Its other fields are not set.
	ProxyStatus *v1alpha1.ProxyStatus
	// Wait is the time until the decision may differ although no object changes; 0 if there is no such time.
	Wait time.Duration

	// Report is what users read about the move beside ProxyStatus.
	Report Report
}

// HasJobOfPhase reports whether a Job is desired for these routes. One of the phase before stays until the routes are observed.
func (d Decision) HasJobOfPhase() bool { return d.Job != DesiredJob{} && d.Job.Routes == d.Routes }

// Decide returns the decision. It finds out where the cache is (situation.go), asks the phase for what follows (phases.go, begin.go;
// stop.go if the proxies stop), and completes that to a decision. Without proxies, direct.go decides.
func (f Facts) Decide() Decision {
	if !f.Proxies.Desired && f.Status.Proxy == nil && f.proxiesDeleted() {
		return f.decideWithoutProxies()
	}
	s := f.situation()
	o := s.next()
	if o.done {
		return f.decideWithoutProxies()
	}
	return s.decision(o)
}

// next returns what follows from the first case that applies: proxies stop, or do not start yet, or it is not known which servers to move.
// Otherwise the move is in its phase.
func (s situation) next() outcome {
	predecessor, template := s.predecessorObstacle(), s.templateObstacle()
	switch {
	case !s.Proxies.Desired:
		return s.removeProxies()
	case predecessor != NoObstacle:
		return s.startNoProxy(predecessor)
	case s.Size == 0 && s.losesLastServers(), s.stopIsUnfinished():
		return s.stopAll()
	case s.startsBesideOthers():
		return s.startNoProxy(EarlierProxies)
	case template == TemplateNotApplied && s.current.Phase == Steady: // no pod has it. A move begins at once, so that proxies are replaced once
		return s.steady()
	case template != NoObstacle: // a move could take the wrong pods
		return s.stay(template)
	}
	return s.inPhase()
}

// outcome is what follows in a phase. The rest of the decision follows from it.
type outcome struct {
	routes   Routes
	ordinals Range
	job      DesiredJob
	report   Report
	wait     time.Duration
	// stopProxies reports whether no proxy is to run, and done whether none is left and status need not have them any more.
	stopProxies, done bool
	// awaited are pods that must stop first.
	awaited []Pod
}

// decision returns the decision for an outcome.
func (s situation) decision(o outcome) Decision {
	for _, proxy := range s.Proxies.Pods {
		if proxy.Routes != s.current || o.stopProxies {
			o.awaited = append(o.awaited, proxy.Pod)
		}
	}
	overduePod, wait := s.overduePod(o.awaited)
	o.report.OverduePod, o.report.RolloutEnded = overduePod, o.routes == s.current && s.rolloutEnded()
	d := Decision{
		Ordinals: o.ordinals, Partition: s.partition(o.routes, o.ordinals),
		ProxyReplicas: s.Proxies.Replicas, Routes: o.routes, Unreached: !s.reaches(o.routes),
		StuckServers: s.stuckServers(o.routes),
		Job:          o.job,
		ProxyStatus:  s.record(o.routes, o.report),
		Wait:         soonest(soonest(wait, o.wait), s.nextEnd()),
		Report:       o.report,
	}
	serving := o.routes.To.Slots.Count
	if o.stopProxies {
		d.ProxyReplicas, serving = 0, 0
	}
	if s.MaxStep > 0 {
		d.Scaling = s.stepStatus(s.revision, serving)
	}
	return d
}

// stuckServers returns the number of servers and former spares that do not end, and whose slots others have.
func (s situation) stuckServers(r Routes) (stuck int32) {
	for ordinal := range s.Servers {
		if r.Phase == Steady && r.To.Span().Has(ordinal) && !r.To.Has(ordinal) && s.isStuck(ordinal) {
			stuck++
		}
	}
	return stuck
}

// overduePod returns the first pod, by name, that does not end by itself, which is the same in each sync, and when the next grace period is
// over.
func (f Facts) overduePod(pods []Pod) (first Pod, wait time.Duration) {
	for _, pod := range pods {
		if pod.GraceEnds == nil {
			continue
		}
		left := pod.GraceEnds.Sub(f.Now)
		switch {
		case left > 0 && !pod.NodeLost:
			wait = soonest(wait, left)
		case first.Name == "" || pod.Name < first.Name:
			first = pod
		}
	}
	return first, wait
}

// nextEnd returns when the next server serves no more, or is stuck; 0 if none is being deleted.
func (f Facts) nextEnd() (wait time.Duration) {
	for _, server := range f.Servers {
		if server.GraceEnds == nil {
			continue
		}
		for _, at := range []time.Time{*server.GraceEnds, server.GraceEnds.Add(StuckDelay)} {
			wait = soonest(wait, max(0, at.Sub(f.Now)))
		}
	}
	return wait
}

// soonest returns the shorter of two times, of which 0 is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
