package memcached

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// desiredChildren returns the desired children, the workload first. A child of a kind that the CompositeController does not
// list is left out, because Metacontroller would never delete it.
func desiredChildren(memcached *v1alpha1.Memcached, p plan, existing *childGroups) []runtime.Object {
	children := []runtime.Object{
		desiredWorkload(memcached, p),
		keepForeignAnnotations(service(memcached), existing.Services.Get(memcached.Namespace, memcached.Name)),
	}
	if budget := podDisruptionBudget(memcached, p.replicas); budget != nil {
		children = append(children, budget)
	}
	if policy := networkPolicy(memcached); policy != nil {
		children = append(children, policy)
	}
	if monitor := serviceMonitor(memcached); monitor != nil && existing.ServiceMonitors.Listed() {
		children = append(children, monitor)
	}
	return children
}

func desiredWorkload(memcached *v1alpha1.Memcached, p plan) runtime.Object {
	if workloadKind(&memcached.Spec) == v1alpha1.StatefulSetWorkload {
		return statefulSet(memcached, p)
	}
	return deployment(memcached, p)
}
