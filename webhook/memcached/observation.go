package memcached

import (
	"cmp"
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// observation is what a sync observes of one cache. Objects that do not exist are nil.
type observation struct {
	*syncRequest
	// memcached is the parent with its defaults.
	memcached *v1alpha1.Memcached
	// workload is of the kind that spec has, and other of the other kind.
	workload, other *observed.Workload
	// proxies is the Deployment of the proxies.
	proxies *observed.Workload
	// job copies items, or cleans servers.
	job *observed.Job
	// pods are those of this Memcached, and former those of a deleted one of the same name. orphans reports whether some of pods are older than
	// this one.
	pods, former []*observed.Pod
	orphans      bool
	// recorded is the status that decisions follow from: an empty one if that of the parent may follow from former pods before they were deleted.
	recorded *v1alpha1.MemcachedStatus
	// livePods and liveProxyPods are not being deleted.
	livePods, liveProxyPods []*observed.Pod
	// domain is the DNS domain of the cluster.
	domain string
}

func (c Config) observe(request *syncRequest) *observation {
	memcached, existing, pods := request.Parent.WithDefaults(), &request.Children, request.Related.Pods.All()
	workload, other := existing.workloads(memcached)
	o := &observation{
		syncRequest:   request,
		memcached:     memcached,
		workload:      workload,
		other:         other,
		proxies:       existing.Deployments.Get(memcached.Namespace, proxy.Name(memcached)),
		job:           existing.Jobs.Get(memcached.Namespace, proxy.JobName(memcached)),
		livePods:      observed.LivePods(pods, memcached.Namespace, children.SelectorLabels(memcached)),
		liveProxyPods: observed.LivePods(pods, memcached.Namespace, children.ProxySelector(memcached)),
		domain:        cmp.Or(c.ClusterDomain, DefaultClusterDomain),
		recorded:      &memcached.Status,
	}
	o.pods, o.former, o.orphans = o.withoutPredecessor()
	if workload == nil && o.proxies == nil && len(o.former) > 0 {
		o.recorded = &v1alpha1.MemcachedStatus{}
	}
	return o
}

// withoutPredecessor returns the pods, and apart from them those of a deleted Memcached of the same name that still terminate. They are older
// than this one.
//
// No label on pods has the UID of the Memcached, because a change of it would replace the pods of a workload that is adopted. Once a workload
// is adopted, which is older too, all pods count. Pods that do not terminate may be orphans, which wait for their adoption.
func (o *observation) withoutPredecessor() (pods, former []*observed.Pod, orphans bool) {
	created, adopted := o.memcached.CreationTimestamp.Time, false
	for _, workload := range []*observed.Workload{o.workload, o.proxies} {
		adopted = adopted || workload != nil && workload.CreationTimestamp.Before(created)
	}
	for pod := range o.Related.Pods.All() {
		older := !adopted && pod.CreationTimestamp.Before(created)
		if older && pod.Terminating() {
			former = append(former, pod)
			continue
		}
		pods, orphans = append(pods, pod), orphans || older
	}
	return pods, former, orphans
}

// moves reports whether items can move: spec has proxies, or those that it had may still run.
func (o *observation) moves() bool { return o.memcached.Spec.Proxy != nil || o.recorded.Proxy != nil }

// losesItems reports whether an empty workload would replace one of the other kind, and spec does not accept that: only a StatefulSet that is set
// does, not one by default.
func (o *observation) losesItems() bool {
	return o.other != nil && o.Parent.Spec.Workload != v1alpha1.StatefulSetWorkload
}

// serving returns the pods that clients reach by proxies with some routes; nil if clients reach all. A server that is being deleted serves while it
// holds.
func (o *observation) serving(routes scaling.Routes) []*observed.Pod {
	if routes == (scaling.Routes{}) {
		return nil
	}
	selector := children.SelectorLabels(o.memcached)
	return children.Serving(o.memcached, routes, slices.DeleteFunc(slices.Clone(o.pods), func(pod *observed.Pod) bool {
		return pod.Terminating() && !holds(pod) || !pod.Selected(o.memcached.Namespace, selector)
	}))
}
