package planning

import (
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// withoutPredecessor returns what is observed without the pods of a deleted Memcached of the same name that still terminate, and whether one of
// its servers serves on. They are older than this one. Until it has a workload, its status may follow from the same pods before they terminated.
//
// No label on pods has the UID of the Memcached, because a change of it would replace the pods of a workload that is adopted. Once a workload
// is adopted, which is older too, all pods count. Pods that do not terminate may be orphans, which wait for their adoption.
func (o Observed) withoutPredecessor() (own Observed, serves bool) {
	created, exists := o.Memcached.CreationTimestamp.Time, false
	for _, workload := range []*observed.Workload{o.Proxies, o.Workload} {
		exists = exists || workload != nil
		if workload != nil && workload.CreationTimestamp.Before(created) {
			return o, false
		}
	}
	all := slices.Collect(o.Pods)
	pods := slices.DeleteFunc(slices.Clone(all), func(pod *observed.Pod) bool {
		former := pod.Terminating() && pod.CreationTimestamp.Before(created)
		serves = serves || former && holds(pod)
		return former
	})
	o.Pods = slices.Values(pods)
	if !exists && len(pods) < len(all) {
		memcached := *o.Memcached
		memcached.Status = v1alpha1.MemcachedStatus{}
		o.Memcached = &memcached
	}
	return o, serves
}
