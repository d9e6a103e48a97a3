package memcached

import (
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/planning"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

// plan returns what the children are built from, and the facts that it follows from.
func (c Config) plan(request *syncRequest, existing *observed.Workload, pods []*observed.Pod) (p children.Plan, facts scaling.Facts, err error) {
	memcached := request.Parent
	p.Memory = memory.Of(&memcached.Spec)
	if p.Images, err = c.images(memcached, p, existing, pods); err != nil {
		return p, facts, err
	}
	current, err := hasTemplate(memcached, p, existing)
	if err != nil {
		return p, facts, err
	}
	facts = planning.Observed{
		Memcached: memcached,
		Workload:  existing,
		Current:   current,
		Proxies:   proxyWorkload(request),
		Pods:      request.Related.Pods.All(),
		Job:       warmupJob(request),
		CanCopy:   c.ReloaderImage != "" && memcached.Spec.WarmsUp() && request.Children.Jobs.Listed(),
	}.Facts(request.Now.Time)
	p.Decision = facts.Decide()
	return p, facts, nil
}

// hasTemplate reports whether a workload has the desired pod template.
func hasTemplate(memcached *v1alpha1.Memcached, p children.Plan, workload *observed.Workload) (bool, error) {
	if workload == nil || !planning.HasProxies(memcached) {
		return false, nil // only proxies can move items to another pod template
	}
	change, err := merge.TemplateChange(children.Workload(memcached, p), workload)
	return change == "", err
}

// proxyWorkload returns the observed Deployment of the proxies; nil if there is none.
func proxyWorkload(request *syncRequest) *observed.Workload {
	return request.Children.Deployments.Get(request.Parent.Namespace, proxy.Name(request.Parent))
}

// warmupJob returns the observed Job of a change; nil if there is none.
func warmupJob(request *syncRequest) *observed.Job {
	return request.Children.Jobs.Get(request.Parent.Namespace, proxy.WarmupName(request.Parent))
}
