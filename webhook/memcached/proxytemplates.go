package memcached

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// proxyTemplates are the pod templates of proxies, of which the decision chooses one.
type proxyTemplates struct {
	memcached *v1alpha1.Memcached
	memory    memory.Size
	// running are the defaults of the proxies that run, which have routes, and configured those of proxies with other routes, which are
	// replaced anyway.
	running, configured proxy.Defaults
	routes              moves.Routes
}

// with returns the pod template of proxies with some routes.
func (t *proxyTemplates) with(routes moves.Routes) proxy.Template {
	return proxy.PodTemplate(t.memcached, t.defaults(routes), t.memory, routes)
}

// defaults returns the defaults of proxies with some routes.
func (t *proxyTemplates) defaults(routes moves.Routes) proxy.Defaults {
	if routes == t.routes {
		return t.running
	}
	return t.configured
}

func (c Config) proxyTemplates(o *observation, size memory.Size) (*proxyTemplates, error) {
	deployment := o.proxyDeployment
	configured := proxy.Defaults{
		Image:             cmp.Or(c.Image, children.DefaultImage),
		Library:           cmp.Or(c.ProxyLibrary, proxy.Library),
		Domain:            o.domain,
		ReachImage:        c.OperatorImage,
		TolerationSeconds: children.TolerationSeconds(&o.memcached.Spec),
		HelperCPU:         children.HelperCPUOf(o.memcached.Spec.Proxy.Resources),
	}
	running := proxy.Defaults{
		Image:      runningImage(deployment, proxy.ContainerName, configured.Image),
		Library:    proxy.AppliedLibrary(deployment, configured.Library),
		Domain:     o.domain,
		ReachImage: runningImage(deployment, proxy.ReachName, configured.ReachImage),

		TolerationSeconds: children.AppliedTolerationSeconds(&o.memcached.Spec, deployment, configured.TolerationSeconds),
		HelperCPU:         children.AppliedHelperCPU(deployment, configured.HelperCPU),
	}
	if o.memcached.Spec.HasExporter() {
		configured.ExporterImage = c.OperatorImage
		running.ExporterImage = runningImage(deployment, children.ExporterName, c.OperatorImage)
	}
	templates := &proxyTemplates{memcached: o.memcached, memory: size, running: configured, configured: configured, routes: proxy.RoutesOf(deployment)}
	if templates.routes == (moves.Routes{}) { // there is no Deployment, or somebody has edited its label
		return templates, nil
	}
	template := func(defaults proxy.Defaults) corev1.PodTemplateSpec {
		return proxy.PodTemplate(o.memcached, defaults, size, templates.routes).PodTemplateSpec
	}
	var err error
	templates.running, err = defaultsToRun(deployment, o.liveProxies, proxy.ContainerName, configured, running, template)
	return templates, err
}
