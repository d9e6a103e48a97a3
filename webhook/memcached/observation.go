package memcached

import (
	"cmp"
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// observation is what a sync observes of one cache. Objects that do not exist are nil.
type observation struct {
	request *syncRequest
	// memcached is the parent with its defaults.
	memcached *v1alpha1.Memcached
	// workload is of the kind that spec has.
	workload *observed.Workload
	// losesItems reports whether an empty workload would replace one of the other kind, and spec does not accept that: only a StatefulSet that
	// is set does, not one by default.
	losesItems bool
	// proxyDeployment is the Deployment of the proxies.
	proxyDeployment *observed.Workload
	// job copies items, or cleans servers.
	job *observed.Job
	// pods are those of this Memcached, and predecessorPods those of a deleted one of the same name. hasOrphans reports whether some of pods are
	// older than this one.
	pods, predecessorPods []*observed.Pod
	hasOrphans            bool
	// recorded is the status that decisions follow from: an empty one if that of the parent may follow from predecessorPods before they were
	// deleted.
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
		request:         request,
		memcached:       memcached,
		workload:        workload,
		losesItems:      other != nil && request.Parent.Spec.Workload != v1alpha1.StatefulSetWorkload,
		proxyDeployment: existing.Deployments.Get(memcached.Namespace, proxy.Name(memcached)),
		job:             existing.Jobs.Get(memcached.Namespace, proxy.JobName(memcached)),
		livePods:        observed.LivePods(pods, memcached.Namespace, children.SelectorLabels(memcached)),
		liveProxyPods:   observed.LivePods(pods, memcached.Namespace, children.ProxySelector(memcached)),
		domain:          cmp.Or(c.ClusterDomain, DefaultClusterDomain),
		recorded:        &memcached.Status,
	}
	o.splitPods()
	if workload == nil && o.proxyDeployment == nil && len(o.predecessorPods) > 0 {
		o.recorded = &v1alpha1.MemcachedStatus{}
	}
	return o
}

// splitPods sets apart the pods of a deleted Memcached of the same name that still terminate. They are older than this one.
//
// No label on pods has the UID of the Memcached, because a change of it would replace the pods of a workload that is adopted. Once a workload
// is adopted, which is older too, all pods count. Pods that do not terminate may be orphans, which wait for their adoption.
func (o *observation) splitPods() {
	created, adopted := o.memcached.CreationTimestamp.Time, false
	for _, workload := range []*observed.Workload{o.workload, o.proxyDeployment} {
		adopted = adopted || workload != nil && workload.CreationTimestamp.Before(created)
	}
	for pod := range o.request.Related.Pods.All() {
		isOlder := !adopted && pod.CreationTimestamp.Before(created)
		if isOlder && pod.Terminating() {
			o.predecessorPods = append(o.predecessorPods, pod)
			continue
		}
		o.pods, o.hasOrphans = append(o.pods, pod), o.hasOrphans || isOlder
	}
}

// moves reports whether items can move: spec has proxies, or those that it had may still run.
func (o *observation) moves() bool { return o.memcached.Spec.Proxy != nil || o.recorded.Proxy != nil }

// serving returns the pods that clients reach by proxies with some routes; nil if clients reach all. A server that is being deleted serves while it
// holds.
func (o *observation) serving(routes moves.Routes) []*observed.Pod {
	if routes == (moves.Routes{}) {
		return nil
	}
	selector := children.SelectorLabels(o.memcached)
	return children.Serving(o.memcached, routes, slices.DeleteFunc(slices.Clone(o.pods), func(pod *observed.Pod) bool {
		return pod.Terminating() && !holds(pod) || !pod.Selected(o.memcached.Namespace, selector)
	}))
}
