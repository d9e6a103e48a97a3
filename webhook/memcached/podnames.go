package memcached

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// podNames returns the names of all pods that the workload may have; nil if they are unknown. Only the pods of a StatefulSet
// have known names. spec.workload is immutable, so the kind of workload does not change.
func podNames(memcached *v1alpha1.Memcached) []string {
	if memcached.Spec.Workload != v1alpha1.StatefulSetWorkload || mayAdoptMorePods(memcached) {
		return nil
	}
	count := maxPods(memcached)
	names := make([]string, 0, count)
	for ordinal := range count {
		names = append(names, fmt.Sprintf("%s-%d", memcached.Name, ordinal))
	}
	return names
}

// maxPods returns the largest number of pods that the StatefulSet has in the parent's generation, at least 1 and at most
// [scaling.MaxServers].
//
// Metacontroller caches the names for each generation, for up to 20 minutes. The replicas change only from those of the previous
// generation, which are in the status when the generation changes, to spec.size. A cached number is therefore too large while the
// StatefulSet shrinks, and never too small. The replicas of the last step and the servers count too, because status.replicas is
// smaller while pods are missing.
func maxPods(memcached *v1alpha1.Memcached) int32 {
	status := &memcached.Status
	count := max(1, ptr.Deref(memcached.Spec.Size, 0), status.Replicas, int32(min(len(status.ServerList), scaling.MaxServers)))
	if status.Scaling != nil {
		count = max(count, status.Scaling.Replicas)
	}
	return min(count, scaling.MaxServers)
}

// mayAdoptMorePods reports whether a new parent may adopt a StatefulSet that keeps more than spec.size pods for a while: with
// maxStep or proxies, it shrinks in steps or phases. The CRD defaults observedGeneration to -1.
func mayAdoptMorePods(memcached *v1alpha1.Memcached) bool {
	return memcached.Status.ObservedGeneration <= 0 && (memcached.Spec.Scaling.MaxStep != nil || memcached.Spec.Proxy != nil)
}
