package memcached

import (
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

// workloads are the observed workloads of both sets; nil if a set has none. A Deployment belongs to the first set.
type workloads = [2]*observed.Workload

// planSets returns what each set is built from, and the decision that both have.
func (c Config) planSets(request *syncRequest, existing workloads, pods []*observed.Pod) (plans [2]children.Plan, state scaling.State, err error) {
	memcached := request.Parent
	var sets [2]scaling.ObservedSet
	var unfinished []*observed.Pod
	isSecond := func(pod *observed.Pod) bool { return children.SetOf(pod) == scaling.Second }
	if hasProxies(memcached) || slices.ContainsFunc(pods, isSecond) { // only proxies use ordinals, and have two sets
		unfinished = observed.UnfinishedPods(request.Related.Pods.All(), memcached.Namespace, children.SelectorLabels(memcached))
	}
	for i := range plans {
		set := scaling.Set(i)
		plans[set] = children.Plan{Set: set, Memory: memory.Of(&memcached.Spec)}
		if plans[set].ReloaderImage, err = reloaderImage(c.ReloaderImage, memcached, plans[set], existing[set], podsOf(set, pods)); err != nil {
			return plans, state, err
		}
		if sets[set], err = observedSet(memcached, plans[set], existing[set], unfinished); err != nil {
			return plans, state, err
		}
	}
	state = c.scalingState(request, sets)
	if d := state.Proxies.Deployment; d != nil && memcached.Spec.Proxy != nil {
		p := plans[scaling.First]
		p.Routes = d.Routes
		change, err := merge.TemplateChange(proxy.Deployment(memcached, p), proxyWorkload(request))
		if err != nil {
			return plans, state, err
		}
		d.Outdated = change != ""
	}
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

// observedSet returns what the planner observes of a set with the desired pod template of a plan.
func observedSet(memcached *v1alpha1.Memcached, p children.Plan, workload *observed.Workload, pods []*observed.Pod) (scaling.ObservedSet, error) {
	set := scaling.ObservedSet{Servers: servers(memcached, p.Set, pods), Recorded: children.RecordedServers(memcached, p.Set)}
	if workload == nil {
		return set, nil
	}
	status := workload.Status
	set.Workload = &scaling.Workload{
		Revision:  revision(workload),
		Replicas:  *workload.Spec.Replicas,
		Ready:     status.ReadyReplicas,
		Available: status.AvailableReplicas,
		Updated:   status.ObservedGeneration >= workload.Generation && status.UpdatedReplicas == status.Replicas,
		AddedFor:  workload.Annotations[children.AddedForAnnotation],
	}
	if !hasProxies(memcached) {
		return set, nil // only proxies can move items to another pod template
	}
	change, err := merge.TemplateChange(children.Workload(memcached, p), workload)
	set.Workload.Current = change == ""
	return set, err
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
