package memcached

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// workloadsOf returns the observed workloads of a kind.
func workloadsOf(memcached *v1alpha1.Memcached, existing *childGroups, kind v1alpha1.Workload) (found workloads) {
	if kind != v1alpha1.StatefulSetWorkload {
		found[scaling.First] = existing.Deployments.Get(memcached.Namespace, memcached.Name)
		return found
	}
	for set := range found {
		found[set] = existing.StatefulSets.Get(memcached.Namespace, children.StatefulSetName(memcached, scaling.Set(set)))
	}
	return found
}

// checkWorkloadChange refuses a parent whose pods run in a workload of the other kind.
func checkWorkloadChange(memcached *v1alpha1.Memcached, children *childGroups) error {
	kind := memcached.Spec.Workload
	former := v1alpha1.StatefulSetWorkload
	if kind == v1alpha1.StatefulSetWorkload {
		former = v1alpha1.DeploymentWorkload
	}
	if workloadsOf(memcached, children, former) == (workloads{}) {
		return nil
	}
	return fmt.Errorf("spec.workload cannot be changed from %s to %s, because the cache would start empty: restore the former value, or create another Memcached", former, kind)
}

// managedKinds returns the kinds of children that the CompositeController manages.
func managedKinds(children *childGroups) sets.Set[string] {
	managed := sets.New[string]()
	for kind, listed := range map[string]bool{
		"Deployment":          children.Deployments.Listed(),
		"StatefulSet":         children.StatefulSets.Listed(),
		"Service":             children.Services.Listed(),
		"PodDisruptionBudget": children.PodDisruptionBudgets.Listed(),
		"NetworkPolicy":       children.NetworkPolicies.Listed(),
		"ServiceMonitor":      children.ServiceMonitors.Listed(),
	} {
		if listed {
			managed.Insert(kind)
		}
	}
	return managed
}
