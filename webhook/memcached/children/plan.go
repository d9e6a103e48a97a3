// Package children builds the children that belong to the servers of a cache: a workload of memcached pods, a Service, a
// PodDisruptionBudget, a NetworkPolicy and a ServiceMonitor. Each file builds one of them, or one part of a pod.
package children

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// Plan contains what determines the children in addition to spec.
type Plan struct {
	scaling.Decision
	Memory        memory.Size
	Images        Images
	ProxyDefaults ProxyDefaults
}

// Children returns the children that belong to the servers, the workload first. existing is the observed Service; nil if there
// is none.
func Children(memcached *v1alpha1.Memcached, p Plan, existing *observed.Child) []runtime.Object {
	children := []runtime.Object{Workload(memcached, p), keepForeignAnnotations(service(memcached), existing)}
	if budget := podDisruptionBudget(memcached, p.Run.Count); budget != nil {
		children = append(children, budget)
	}
	if policy := networkPolicy(memcached); policy != nil {
		children = append(children, policy)
	}
	if monitor := serviceMonitor(memcached); monitor != nil {
		children = append(children, monitor)
	}
	return children
}

// Workload returns the Deployment or the StatefulSet of the servers.
func Workload(memcached *v1alpha1.Memcached, p Plan) runtime.Object {
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		return statefulSet(memcached, p)
	}
	return deployment(memcached, p)
}
