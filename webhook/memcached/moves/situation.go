package moves

import (
	"cmp"
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// situation is that of a cache with proxies: its facts, and how far its move is, if one is under way.
type situation struct {
	Facts
	// revision is that of the Deployment of the proxies; the zero value if none is observed.
	revision v1alpha1.Revision
	// current are the routes to continue from. currentApplied reports whether the Deployment has them.
	current        Routes
	currentApplied bool
	// runningRoutes are those of the proxies that may run.
	runningRoutes []Routes
	// recordedMove is the phase that status records for this revision; nil if there is none.
	recordedMove *v1alpha1.MoveStatus
	// phaseJob is the observed Job of this rollout; nil if there is none.
	phaseJob *ObservedJob
}

func (f Facts) situation() situation {
	s := situation{Facts: f, current: f.lastRoutes()}
	for _, proxy := range f.Proxies.Pods {
		s.runningRoutes = append(s.runningRoutes, proxy.Routes)
	}
	d, status := f.Proxies.Deployment, f.Status.Proxy
	if d != nil {
		s.revision, s.currentApplied = d.Revision, d.Routes == s.current
	}
	starts := f.Proxies.Desired && f.Size > 0 && (d == nil || d.Replicas == 0) // an end that was recorded before is not one of what starts
	if status != nil && status.LastDecision.Observed.Equal(s.revision) && RecordedRoutes(status) == s.current && !starts {
		s.recordedMove = status.Move
	}
	s.phaseJob = s.observedJobOfPhase()
	return s
}

// lastRoutes returns the routes to continue from. They are those of the first source that knows them.
func (f Facts) lastRoutes() Routes {
	return cmp.Or(
		f.routesOfRestart(),   // no items are left, whatever a label says
		f.routesOfLabel(),     // the last decision that was applied
		f.routesOfLastPhase(), // of status and running proxies
		f.routesOfServers(),   // they may have items
		f.routesOfNew(),       // a new cache
	)
}

// routesOfRestart returns the routes of a cache that starts again after all servers were removed, and no proxy runs.
func (f Facts) routesOfRestart() Routes {
	if f.Size == 0 || f.Workload == nil || f.Workload.Ordinals.Count > 0 || !f.proxiesStopped() {
		return Routes{}
	}
	first := f.Workload.Ordinals.First
	for ordinal := range f.Servers {
		if !f.isStuck(ordinal) {
			return Routes{}
		}
		first = max(first, ordinal+1) // its name is in use
	}
	if first > MaxFirst {
		return Routes{}
	}
	return steadyRoutes(poolOf(Range{first, f.Size}))
}

// routesOfLabel returns the routes of the Deployment of the proxies.
func (f Facts) routesOfLabel() Routes {
	if f.Proxies.Deployment == nil {
		return Routes{}
	}
	return f.Proxies.Deployment.Routes
}

// routesOfLastPhase returns the routes of the last phase among recorded ones and those of running proxies.
func (f Facts) routesOfLastPhase() Routes {
	routes := RecordedRoutes(f.Status.Proxy)
	for _, running := range f.Proxies.Pods {
		if routes == (Routes{}) || slices.Index(phaseOrder, running.Routes.Phase) > slices.Index(phaseOrder, routes.Phase) {
			routes = running.Routes
		}
	}
	announces := func(proxy ProxyPod) bool { return proxy.Routes == routes.in(Announcing) }
	if routes.Phase == Preparing && !slices.ContainsFunc(f.Proxies.Pods, announces) {
		return routes.in(Warming) // such proxies may have run, and have stopped first
	}
	return routes
}

// routesOfServers returns the routes of proxies that use all servers.
func (f Facts) routesOfServers() Routes {
	existing := f.existingOrdinals()
	if existing.Count == 0 {
		return Routes{}
	}
	existing.Count = min(existing.Count, MaxServers)
	return steadyRoutes(poolOf(existing))
}

// routesOfNew returns the routes of a cache without servers.
func (f Facts) routesOfNew() Routes {
	return steadyRoutes(poolOf(Range{f.existingOrdinals().First, max(f.Size, 1)}))
}
