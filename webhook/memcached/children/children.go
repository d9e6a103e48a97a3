// Package children builds the children that belong to the servers of a cache: a workload of memcached pods, a Service, a
// PodDisruptionBudget, a NetworkPolicy and a ServiceMonitor. Each file builds one of them, or one part of a pod.
package children

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// Children returns the children that belong to the servers, the workload first. existing is the observed Service; nil if there
// is none.
func Children(memcached *v1alpha1.Memcached, t Template, d scaling.Decision, existing *observed.Child) []runtime.Object {
	children := []runtime.Object{workload(memcached, t, d), keepForeignAnnotations(service(memcached), existing)}
	if budget := podDisruptionBudget(memcached, d); budget != nil {
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

func workload(memcached *v1alpha1.Memcached, t Template, d scaling.Decision) runtime.Object {
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		return statefulSet(memcached, t, d)
	}
	return deployment(memcached, t, d)
}
