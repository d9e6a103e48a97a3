package memcached

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// proxyTemplates are the pod templates of proxies, of which the decision chooses one.
type proxyTemplates struct {
	memcached *v1alpha1.Memcached
	memory    memory.Size
	// running are the defaults of the proxies that run, which have routes, and configured those of proxies with other routes, which are
	// replaced anyway.
	running, configured proxy.ReleaseDefaults
	routes              moves.Routes
}

// with returns the pod template of proxies with some routes.
func (t *proxyTemplates) with(routes moves.Routes) proxy.Template {
	return proxy.PodTemplate(t.memcached, t.defaults(routes), t.memory, routes)
}

// defaults returns the defaults of proxies with some routes.
func (t *proxyTemplates) defaults(routes moves.Routes) proxy.ReleaseDefaults {
	if routes == t.routes {
		return t.running
	}
	return t.configured
}

func (c Config) proxyTemplates(o *observation, size memory.Size) (*proxyTemplates, error) {
	spec := &o.memcached.Spec
	defaults := func(applied *observed.Workload) proxy.ReleaseDefaults {
		d := proxy.ReleaseDefaults{
			Image:             imageOf(applied, proxy.ContainerName, cmp.Or(c.Image, children.DefaultImage)),
			Library:           proxy.LibraryOf(applied, cmp.Or(c.ProxyLibrary, proxy.Library)),
			Domain:            o.domain,
			ReachImage:        imageOf(applied, proxy.ReachName, c.OperatorImage),
			TolerationSeconds: children.TolerationSeconds(spec, applied),
			HelperCPU:         children.HelperCPUOf(spec.Proxy.Resources, applied),
		}
		if spec.HasExporter() {
			d.ExporterImage = imageOf(applied, children.ExporterName, c.OperatorImage)
		}
		return d
	}
	configured := defaults(nil)
	templates := &proxyTemplates{memcached: o.memcached, memory: size, running: configured, configured: configured, routes: proxy.RoutesOf(o.proxyDeployment)}
	if templates.routes == (moves.Routes{}) { // there is no Deployment, or somebody has edited its label
		return templates, nil
	}
	template := func(defaults proxy.ReleaseDefaults) corev1.PodTemplateSpec {
		return proxy.PodTemplate(o.memcached, defaults, size, templates.routes).PodTemplateSpec
	}
	var err error
	templates.running, err = defaultsToRun(o.proxyDeployment, o.liveProxies, proxy.ContainerName, defaults, template)
	return templates, err
}
