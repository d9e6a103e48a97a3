// Package children builds the children that belong to the servers of a cache: a workload of memcached pods, a Service, a
// PodDisruptionBudget, a NetworkPolicy and a ServiceMonitor. Each file builds one of them, or a part of a pod. The parts that are exported are
// also those of proxies and of the Job.
package children

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// Input is what the children of servers are built from.
type Input struct {
	Memcached *v1alpha1.Memcached
	Template  Template
	Decision  moves.Decision
	// Service is the observed one; nil if there is none.
	Service *observed.Child
}

// Children returns the children that belong to the servers, the workload first.
func Children(in *Input) []runtime.Object {
	return Build(in, workload, service, podDisruptionBudget, networkPolicy, serviceMonitor)
}

// Build returns the children that builders return, in their order. A builder returns nil for a child that spec does not need.
func Build[I any](input I, builders ...func(I) runtime.Object) []runtime.Object {
	var built []runtime.Object
	for _, build := range builders {
		if child := build(input); child != nil {
			built = append(built, child)
		}
	}
	return built
}

func workload(in *Input) runtime.Object {
	if in.Memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		return statefulSet(in)
	}
	return deployment(in)
}
