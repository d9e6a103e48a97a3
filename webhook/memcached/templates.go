package memcached

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

// templates are the pod templates of a cache.
type templates struct {
	memory  memory.Size
	servers children.Template
	// templateApplied reports whether the template of the servers was applied last. It is false if neither spec nor status has proxies:
	// then nothing depends on it.
	templateApplied bool
	// proxies is nil if spec has none.
	proxies *proxyTemplates
}

func (c Config) templates(o *observation) (t templates, err error) {
	t.memory = memory.Of(&o.memcached.Spec)
	if t.servers, err = c.serverTemplate(o, t.memory); err != nil {
		return t, err
	}
	if o.workload != nil && o.hasProxies() {
		// Not what somebody else has changed since: Metacontroller takes that back.
		if t.templateApplied, err = merge.TemplateApplied(&t.servers.PodTemplateSpec, o.workload); err != nil {
			return t, err
		}
	}
	if o.memcached.Spec.Proxy != nil {
		t.proxies, err = c.proxyTemplates(o, t.memory)
	}
	return t, err
}

// serverTemplate returns the pod template of the servers.
func (c Config) serverTemplate(o *observation, size memory.Size) (children.Template, error) {
	spec := &o.memcached.Spec
	defaults := func(applied *observed.Workload) children.ReleaseDefaults {
		d := children.ReleaseDefaults{
			Images: children.Images{
				Memcached: imageOf(applied, children.ContainerName, cmp.Or(c.Image, children.DefaultImage)),
				Exporter:  imageOf(applied, children.ExporterName, cmp.Or(c.ExporterImage, children.DefaultExporterImage)),
			},
			TolerationSeconds: children.TolerationSeconds(spec, applied),
			HelperCPU:         children.HelperCPUOf(spec.Resources, applied),
		}
		if spec.ForServers().NeedsReloader() {
			d.Reloader = imageOf(applied, children.ReloaderName, c.OperatorImage)
		}
		if spec.WarmsUp() {
			d.Hold = imageOf(applied, children.HoldName, c.OperatorImage)
		}
		return d
	}
	template := func(defaults children.ReleaseDefaults) corev1.PodTemplateSpec {
		return children.PodTemplate(o.memcached, defaults, size).PodTemplateSpec
	}
	kept, err := defaultsToRun(o.workload, o.liveServers, children.ContainerName, defaults, template)
	return children.PodTemplate(o.memcached, kept, size), err
}
