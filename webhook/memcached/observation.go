package memcached

import (
	"github.com/example/memcached-operator/webhook/conditions"
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
