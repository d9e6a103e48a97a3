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
	// losesItems reports whether an empty workload would replace one of the other kind, and spec does not accept that: only a StatefulSet
	// that is set does, not one by default.
	losesItems bool
	// proxyDeployment is the Deployment of the proxies.
	proxyDeployment *observed.Workload
	// job copies items, or cleans servers. jobPods are its pods that may run and are not being deleted. hasJobPods reports whether it, or an
	// earlier one, has pods that may run.
	job        *observed.Job
	jobPods    []*observed.Pod
	hasJobPods bool
	// servers and proxies are the pods of this Memcached that may run. liveServers and liveProxies are those that are not being deleted.
	servers, proxies         []*observed.Pod
	liveServers, liveProxies []*observed.Pod
	// predecessorPods are those of a deleted Memcached of the same name. hasOrphans reports whether other pods are older than this one.
	predecessorPods []*observed.Pod
	hasOrphans      bool
	// recorded is the status that decisions follow from: an empty one if that of the parent may follow from predecessorPods before they
	// were deleted.
	recorded *v1alpha1.MemcachedStatus
	// domain is the DNS domain of the cluster.
	domain string
}

func (c Config) observe(request *syncRequest) *observation {
	memcached, existing := request.Parent.WithDefaults(), &request.Children
	workload, other := existing.workloads(memcached)
	o := &observation{
		request:         request,
		memcached:       memcached,
		workload:        workload,
		losesItems:      other != nil && request.Parent.Spec.Workload != v1alpha1.StatefulSetWorkload,
		proxyDeployment: existing.Deployments.Get(memcached.Namespace, proxy.Name(memcached)),
		job:             existing.Jobs.Get(memcached.Namespace, proxy.JobName(memcached)),
		domain:          cmp.Or(c.ClusterDomain, DefaultClusterDomain),
		recorded:        &memcached.Status,
	}
	o.splitPods()
	if workload == nil && o.proxyDeployment == nil && len(o.predecessorPods) > 0 {
		o.recorded = &v1alpha1.MemcachedStatus{}
	}
	return o
}

// splitPods tells servers, proxies and pods of the Job apart, and the first two from the pods of a deleted Memcached of the same name that
// still terminate: they are older than this one.
//
// No label on pods has the UID of the Memcached, because a change of it would replace the pods of a workload that is adopted. Once a
// workload is adopted, which is older too, all pods count. Pods that do not terminate may be orphans, which wait for their adoption.
func (o *observation) splitPods() {
	created, adopted, namespace := o.memcached.CreationTimestamp.Time, false, o.memcached.Namespace
	ofServers, ofProxies := children.SelectorLabels(o.memcached), children.ProxySelector(o.memcached)
	for _, workload := range []*observed.Workload{o.workload, o.proxyDeployment} {
		adopted = adopted || workload != nil && workload.CreationTimestamp.Before(created)
	}
	for pod := range o.request.Related.Pods.All() {
		if _, ofJob := pod.Labels[children.MoveLabel]; ofJob {
			o.addJobPod(pod)
			continue
		}
		isServer, isProxy := pod.Selected(namespace, ofServers), pod.Selected(namespace, ofProxies)
		if !isServer && !isProxy {
			continue
		}
		isOlder := !adopted && pod.CreationTimestamp.Before(created)
		if isOlder && pod.Terminating() {
			o.predecessorPods = append(o.predecessorPods, pod)
			continue
		}
		o.hasOrphans = o.hasOrphans || isOlder
		if isServer {
			o.servers = append(o.servers, pod)
		} else {
			o.proxies = append(o.proxies, pod)
		}
	}
	o.liveServers = slices.DeleteFunc(slices.Clone(o.servers), (*observed.Pod).Terminating)
	o.liveProxies = slices.DeleteFunc(slices.Clone(o.proxies), (*observed.Pod).Terminating)
}

func (o *observation) addJobPod(pod *observed.Pod) {
	if !pod.Selected(o.memcached.Namespace, children.MoveSelector(o.memcached)) {
		return
	}
	o.hasJobPods = true
	if !pod.Terminating() {
		o.jobPods = append(o.jobPods, pod)
	}
}

// service returns the observed Service with a name; nil if there is none.
func (o *observation) service(name string) *observed.Child {
	return o.request.Children.Services.Get(o.memcached.Namespace, name)
}

// hasProxies reports whether spec or status has proxies, or some that spec had still run.
func (o *observation) hasProxies() bool {
	return o.memcached.Spec.Proxy != nil || o.recorded.Proxy != nil || o.proxyDeployment != nil || len(o.proxies) > 0
}

// inUse returns the pods that clients reach by proxies with some routes; nil if clients reach all. A server that is being deleted serves
// while it holds.
func (o *observation) inUse(routes moves.Routes) []*observed.Pod {
	if routes == (moves.Routes{}) {
		return nil
	}
	return children.ServingPods(o.memcached, routes, slices.DeleteFunc(slices.Clone(o.servers), func(pod *observed.Pod) bool {
		return pod.Terminating() && !canHold(pod)
	}))
}
