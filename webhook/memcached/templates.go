package memcached

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/merge"
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
	configured := children.Defaults{
		Images: children.Images{
			Memcached: cmp.Or(c.Image, children.DefaultImage),
			Exporter:  cmp.Or(c.ExporterImage, children.DefaultExporterImage),
		},
		TolerationSeconds: children.TolerationSeconds(spec),
		HelperCPU:         children.HelperCPUOf(spec.Resources),
	}
	running := children.Defaults{
		Images: children.Images{
			Memcached: runningImage(o.workload, children.ContainerName, configured.Memcached),
			Exporter:  runningImage(o.workload, children.ExporterName, configured.Exporter),
		},
		TolerationSeconds: children.AppliedTolerationSeconds(spec, o.workload, configured.TolerationSeconds),
		HelperCPU:         children.AppliedHelperCPU(o.workload, configured.HelperCPU),
	}
	if spec.ForServers().NeedsReloader() {
		configured.Reloader = c.OperatorImage
		running.Reloader = runningImage(o.workload, children.ReloaderName, c.OperatorImage)
	}
	if spec.WarmsUp() {
		configured.Hold = c.OperatorImage
		running.Hold = runningImage(o.workload, children.HoldName, c.OperatorImage)
	}
	template := func(defaults children.Defaults) corev1.PodTemplateSpec {
		return children.PodTemplate(o.memcached, defaults, size).PodTemplateSpec
	}
	kept, err := defaultsToRun(o.workload, o.liveServers, children.ContainerName, configured, running, template)
	return children.PodTemplate(o.memcached, kept, size), err
}
