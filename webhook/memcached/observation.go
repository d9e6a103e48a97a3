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
	// livePods and liveProxyPods are not being deleted.
	livePods, liveProxyPods []*observed.Pod
	// domain is the DNS domain of the cluster.
	domain string
}

func (c Config) observe(request *syncRequest) *observation {
	memcached, existing, pods := request.Parent.WithDefaults(), &request.Children, request.Related.Pods.All()
	workload, other := existing.workloads(memcached)
	return &observation{
		syncRequest:   request,
		memcached:     memcached,
		workload:      workload,
		other:         other,
		proxies:       existing.Deployments.Get(memcached.Namespace, proxy.Name(memcached)),
		job:           existing.Jobs.Get(memcached.Namespace, proxy.JobName(memcached)),
		livePods:      observed.LivePods(pods, memcached.Namespace, children.SelectorLabels(memcached)),
		liveProxyPods: observed.LivePods(pods, memcached.Namespace, children.ProxySelector(memcached)),
		domain:        cmp.Or(c.ClusterDomain, DefaultClusterDomain),
	}
}

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
	pods, _, _ := o.withoutPredecessor()
	selector := children.SelectorLabels(o.memcached)
	return children.Serving(o.memcached, routes, slices.DeleteFunc(pods, func(pod *observed.Pod) bool {
		return pod.Terminating() && !holds(pod) || !pod.Selected(o.memcached.Namespace, selector)
	}))
}
