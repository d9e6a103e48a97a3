package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/observed"
)

// Status returns the status of the parent, with more conditions than every parent has. A condition keeps its time of
// transition while its status stays the same.
func (a *Assessment) Status(o *Observation, more ...metav1.Condition) api.ReplicaStatus {
	generation := o.Parent.GetGeneration()
	return api.ReplicaStatus{
		Nodes:         observed.PodNames(o.Pods),
		Replicas:      a.Rollout.Replicas,
		ReadyReplicas: a.Rollout.Ready,
		Selector:      k8slabels.FormatLabels(o.Selector),
		// Metacontroller sets it as well. With it, a status that is rendered without Metacontroller is complete.
		ObservedGeneration: generation,
		Conditions:         Stamp(append(a.Conditions(), more...), o.Before.Conditions, generation, o.Now),
	}
}
