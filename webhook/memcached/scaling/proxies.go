package scaling

import "slices"

// This file has what is observed of the proxies. Those of an earlier phase can run for a while.

// gone reports whether no proxy runs, and no Deployment starts one.
func (f Facts) gone() bool { return len(f.Proxies.Pods) == 0 && f.Proxies.Deployment == nil }

// noProxyRuns reports whether no proxy runs, and the Deployment starts none.
func (f Facts) noProxyRuns() bool {
	d := f.Proxies.Deployment
	return len(f.Proxies.Pods) == 0 && d != nil && d.Replicas == 0 && d.RolledOut
}

// proxiesSettled reports whether all desired proxies are available, and no proxy that may run has other routes.
func (c change) proxiesSettled() bool {
	d := c.Proxies.Deployment
	return c.shown && d.RolledOut && d.Replicas == c.Proxies.Replicas && c.only(c.routes, c.routes)
}

// only reports whether all proxies that may run have one of two routes.
func (c change) only(a, b Routes) bool {
	return !slices.ContainsFunc(c.running, func(running Routes) bool { return running != a && running != b })
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
	return c.proxiesSettled() && current >= c.Proxies.Replicas
}

// keeping returns the servers that exist, and those that proxies with these routes or running proxies know.
func (c change) keeping(routes Routes) Servers {
	kept := routes.Knows()
	for _, running := range c.running {
		kept = kept.join(running.Knows())
	}
	return kept.join(c.existing())
}

// unused reports whether servers exist that steady proxies do not use.
func (c change) unused(used Pool) bool {
	return c.keeping(steadyRoutes(used)) != used.Span()
}
