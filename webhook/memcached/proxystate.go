package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// proxyWorkload returns the observed Deployment of the proxies; nil if there is none.
func proxyWorkload(request *syncRequest) *observed.Workload {
	return request.Children.Deployments.Get(request.Parent.Namespace, proxy.Name(request.Parent))
}

// proxyObservation returns what the proxies are assessed from. desired are all desired children.
func proxyObservation(request *syncRequest, desired []runtime.Object, p scaling.Plan) conditions.Observation {
	memcached, workload := request.Parent, proxyWorkload(request)
	pods := observed.LivePods(request.Related.Pods.All(), memcached.Namespace, children.ProxySelector(memcached))
	o := observationOf(request, workload, pods)
	o.Selector, o.Container = children.ProxySelector(memcached), proxy.ContainerName
	o.Rollout = conditions.RolloutOf(workload, p.Proxies, memcached, pods)
	for _, child := range desired {
		if child.(metav1.Object).GetName() == proxy.Name(memcached) { // the Deployment is the first of them
			o.Children = append(o.Children, child)
		}
	}
	o.LastStep = lastChange(request, p).Time
	o.Remedies = diagnosis.ProxyRemedies()
	return o
}

// proxyStatus returns the status of the proxies; nil if there are none.
func proxyStatus(request *syncRequest, p scaling.Plan, assessment *conditions.Assessment) *v1alpha1.ProxyStatus {
	if p.Proxy == nil {
		return nil
	}
	status := p.Proxy.DeepCopy()
	status.LastChangeTime = lastChange(request, p)
	if assessment.Proxies != nil {
		status.Address, status.ReadyReplicas = proxy.Address(request.Parent), assessment.Proxies.Rollout.Ready
	}
	return status
}

// lastChange returns when the routes of the proxies or the number of servers changed last.
func lastChange(request *syncRequest, p scaling.Plan) *metav1.Time {
	status := &request.Parent.Status
	if before := status.Proxy; before != nil && before.LastChangeTime != nil && !before.LastChangeTime.After(request.Now.Time) &&
		scaling.RecordedRoutes(before) == p.Routes && len(status.Servers) == int(p.Servers) {
		return before.LastChangeTime
	}
	return new(request.Now.Rfc3339Copy())
}
