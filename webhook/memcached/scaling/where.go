package scaling

import "slices"

// precedence are the sources of the routes that a decision continues from. The first one that knows them wins.
var precedence = []struct {
	name   string
	routes func(Facts) Routes
}{
	{"a cache without items starts with its size", Facts.emptied},
	{"the label of the Deployment", Facts.labelled},
	{"the last phase in status or in the labels of running proxies", Facts.lastPhase},
	{"the servers that exist may have items", Facts.serversExist},
	{"a new cache", Facts.created},
}

// routes returns the routes to continue from.
func (f Facts) routes() Routes {
	for _, source := range precedence {
		if routes := source.routes(f); routes != (Routes{}) {
			return routes
		}
	}
	return Routes{}
}

// emptied returns the routes of a cache that starts again after all servers were removed, and no proxy runs. Whatever a label says, there are
// no items to keep.
func (f Facts) emptied() Routes {
	if f.Size == 0 || f.Workload == nil || f.Workload.Run.Count > 0 || len(f.Servers) > 0 || !f.stopped() {
		return Routes{}
	}
	return steady(Servers{f.Workload.Run.First, f.Size})
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
	return steady(existing)
}

// created returns the routes of a cache without servers.
func (f Facts) created() Routes {
	return steady(Servers{f.existing().First, max(f.Size, 1)})
}
