package scaling

import (
	"cmp"
	"slices"
)

// routes returns the routes to continue from. They are those of the first source that knows them.
func (f Facts) routes() Routes {
	return cmp.Or(
		f.emptied(),      // no items are left, whatever a label says
		f.labelled(),     // the last decision that was applied
		f.lastPhase(),    // of status and running proxies
		f.serversExist(), // they may have items
		f.created(),      // a new cache
	)
}

// emptied returns the routes of a cache that starts again after all servers were removed, and no proxy runs.
func (f Facts) emptied() Routes {
	if f.Size == 0 || f.Workload == nil || f.Workload.Run.Count > 0 || len(f.Servers) > 0 || !f.stopped() {
		return Routes{}
	}
	return steady(Pool{Servers: Servers{f.Workload.Run.First, f.Size}})
}

// labelled returns the routes of the Deployment of the proxies.
func (f Facts) labelled() Routes {
	if f.Proxies.Deployment == nil {
		return Routes{}
	}
	return f.Proxies.Deployment.Routes
}

// lastPhase returns the routes of the last phase among recorded ones and those of running proxies.
func (f Facts) lastPhase() Routes {
	routes := RecordedRoutes(f.Status.Proxy)
	for _, running := range f.Proxies.Pods {
		if routes == (Routes{}) || slices.Index(phaseOrder, running.Routes.Phase) > slices.Index(phaseOrder, routes.Phase) {
			routes = running.Routes
		}
	}
	announces := slices.ContainsFunc(f.Proxies.Pods, func(proxy Proxy) bool { return proxy.Routes == routes.in(Announcing) })
	if routes.Phase == Preparing && !announces { // warming ones may have run, and have stopped first
		return routes.in(Warming)
	}
	return routes
}

// serversExist returns the routes of proxies that use all servers.
func (f Facts) serversExist() Routes {
	existing := f.existing()
	if existing.Count == 0 {
		return Routes{}
	}
	existing.Count = min(existing.Count, MaxServers)
	return steady(Pool{Servers: existing})
}

// created returns the routes of a cache without servers.
func (f Facts) created() Routes {
	return steady(Pool{Servers: Servers{f.existing().First, max(f.Size, 1)}})
}
