package memcached

import (
	"cmp"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// proxyTemplates are the pod templates of proxies, of which the decision chooses one.
type proxyTemplates struct {
	memcached *v1alpha1.Memcached
	memory    memory.Size
	// running are the defaults of proxies with the routes current, and configured those of proxies with other routes, which are replaced anyway.
	running, configured proxy.Defaults
	current             scaling.Routes
}

// with returns the pod template of proxies with some routes.
func (t *proxyTemplates) with(routes scaling.Routes) proxy.Template {
	defaults := t.configured
	if routes == t.current {
		defaults = t.running
	}
	return proxy.PodTemplate(t.memcached, defaults, t.memory, routes)
}

func (c Config) proxyTemplates(o *observation, size memory.Size) (*proxyTemplates, error) {
	configured := proxy.Defaults{
		Image:             cmp.Or(c.Image, children.DefaultImage),
		Library:           cmp.Or(c.ProxyLibrary, proxy.Library),
		Domain:            o.domain,
		Reach:             c.OperatorImage,
		TolerationSeconds: children.TolerationSeconds(&o.memcached.Spec),
		Apart:             true,
	}
	if o.memcached.Spec.HasExporter() {
		configured.Exporter = c.OperatorImage
	}
	t := &proxyTemplates{memcached: o.memcached, memory: size, running: configured, configured: configured}
	if o.proxies == nil {
		return t, nil
	}
	running := runningProxies(o, configured)
	if running == configured || takesDefaults(o.proxies, o.liveProxyPods, proxy.ContainerName) {
		return t, nil
	}
	routes := proxy.RoutesOf(o.proxies)
	former := proxy.PodTemplate(o.memcached, running, size, routes)
	runs, err := isTemplate(&former.PodTemplateSpec, o.proxies)
	if runs {
		t.running, t.current = running, routes
	}
	return t, err
}

// runningProxies returns the defaults that proxies run; the configured one in place of each that somebody else has set.
func runningProxies(o *observation, configured proxy.Defaults) proxy.Defaults {
	running := proxy.Defaults{
		Image:   appliedImage(o.proxies, proxy.ContainerName, configured.Image),
		Library: proxy.AppliedLibrary(o.proxies, configured.Library),
		Domain:  o.domain,
		Apart:   proxy.AppliedApart(o.proxies),
	}
	running.TolerationSeconds, _ = children.AppliedTolerationSeconds(o.proxies)
	if o.memcached.Spec.HasExporter() && !appliedWithout(o.proxies, children.ExporterName) {
		running.Exporter = appliedImage(o.proxies, children.ExporterName, configured.Exporter)
	}
	if !appliedWithout(o.proxies, proxy.ReachName) {
		running.Reach = appliedImage(o.proxies, proxy.ReachName, configured.Reach)
	}
	return running
}
