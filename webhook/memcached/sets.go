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

// planSets returns what each set is built from, and the decision that both have.
func (c Config) planSets(request *syncRequest, existing workloads, pods []*observed.Pod) (plans [2]children.Plan, state scaling.State, err error) {
	memcached := request.Parent
	o := planning.Observed{
		Memcached: memcached,
		Proxies:   proxyWorkload(request),
		Pods:      request.Related.Pods.All(),
		Job:       warmupJob(request),
		CanCopy:   c.ReloaderImage != "" && memcached.Spec.WarmsUp() && request.Children.Jobs.Listed(),
	}
	for i := range plans {
		set := scaling.Set(i)
		plans[set] = children.Plan{Set: set, Memory: memory.Of(&memcached.Spec)}
		if plans[set].Images, err = c.images(memcached, plans[set], existing[set], podsOf(set, pods)); err != nil {
			return plans, state, err
		}
		if o.Sets[set], err = observedSet(memcached, plans[set], existing[set]); err != nil {
			return plans, state, err
		}
	}
	state = o.State(request.Now.Time)
	plan := state.Next()
	for set := range plans {
		plans[set].Plan = plan
		if !plan.Sets[set].KeepsTemplate {
			continue
		}
		if plans[set].Kept, err = children.KeptTemplateOf(existing[set]); err != nil {
			return plans, state, err
		}
	}
	return plans, state, nil
}

// observedSet compares the workload of a set with the desired pod template of a plan.
func observedSet(memcached *v1alpha1.Memcached, p children.Plan, workload *observed.Workload) (planning.Set, error) {
	set := planning.Set{Workload: workload}
	if workload == nil || !planning.HasProxies(memcached) {
		return set, nil // only proxies can move items to another pod template
	}
	change, err := merge.TemplateChange(children.Workload(memcached, p), workload)
	set.Current = change == ""
	return set, err
}

// proxyWorkload returns the observed Deployment of the proxies; nil if there is none.
func proxyWorkload(request *syncRequest) *observed.Workload {
	return request.Children.Deployments.Get(request.Parent.Namespace, proxy.Name(request.Parent))
}

// warmupJob returns the observed Job of a change; nil if there is none.
func warmupJob(request *syncRequest) *observed.Job {
	return request.Children.Jobs.Get(request.Parent.Namespace, proxy.WarmupName(request.Parent))
}

// podsOf returns the pods of a set.
func podsOf(set scaling.Set, pods []*observed.Pod) []*observed.Pod {
	var some []*observed.Pod
	for _, pod := range pods {
		if children.SetOf(pod) == set {
			some = append(some, pod)
		}
	}
	return some
}
