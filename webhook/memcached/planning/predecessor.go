package planning

import (
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// withoutPredecessor returns what is observed without the pods of a deleted Memcached of the same name that still terminate. They are older
// than this one, and their workload is not observed. Until it has a workload, its status may follow from the same pods before they terminated.
//
// No label on pods has the UID of the Memcached, because a change of it would replace the pods of a workload that is adopted. Once a workload
// is adopted, which is older too, all pods count. Pods that do not terminate may be orphans, which wait for their adoption.
func (o Observed) withoutPredecessor() Observed {
	created, exists := o.Memcached.CreationTimestamp.Time, false
	for _, workload := range []*observed.Workload{o.Proxies, o.Workload} {
		exists = exists || workload != nil
		if workload != nil && workload.CreationTimestamp.Before(created) {
			return o
		}
	}
	all := slices.Collect(o.Pods)
	own := slices.DeleteFunc(slices.Clone(all), func(pod *observed.Pod) bool {
		return pod.Terminating() && pod.CreationTimestamp.Before(created) && o.workloadOf(pod) == nil
	})
	o.Pods = slices.Values(own)
	if !exists && len(own) < len(all) {
		memcached := *o.Memcached
		memcached.Status = v1alpha1.MemcachedStatus{}
		o.Memcached = &memcached
	}
	return o
}

// workloadOf returns the workload that has created a pod, by its labels; nil if it is not observed.
func (o Observed) workloadOf(pod *observed.Pod) *observed.Workload {
	if pod.Labels[children.ProxyLabel] != "" {
		return o.Proxies
	}
	return o.Workload
}
