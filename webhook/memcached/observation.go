package memcached

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func observationOf(request *syncRequest, workload *observed.Workload, pods []*observed.Pod) conditions.Observation {
	return conditions.Observation{
		Parent:    request.Parent,
		Before:    request.Parent.Status.ReplicaStatus,
		Workload:  workload,
		Pods:      pods,
		Selector:  selectorLabels(request.Parent),
		Container: containerName,
		Observed:  request.Child,
		Now:       request.Now,
	}
}

// workloadHolders returns the objects that have the name of the workload: the object of the same kind, and the object of the
// other kind of workload. Each is nil if there is none.
func workloadHolders(memcached *v1alpha1.Memcached, related *relatedGroups) (*observed.Holder, *conditions.Leftover) {
	own, other, otherKind := related.Deployments, related.StatefulSets, v1alpha1.StatefulSetWorkload
	if workloadKind(&memcached.Spec) == v1alpha1.StatefulSetWorkload {
		own, other, otherKind = other, own, v1alpha1.DeploymentWorkload
	}
	holder := own.Get(memcached.Namespace, memcached.Name)
	if leftover := other.Get(memcached.Namespace, memcached.Name); leftover != nil {
		return holder, &conditions.Leftover{Holder: leftover, Kind: string(otherKind)}
	}
	return holder, nil
}
