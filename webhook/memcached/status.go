package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"

	"github.com/example/memcached-operator/webhook/object"
)

// remedies tell what to do about pods that do not run.
//
// The exit codes: memcached exits with the codes of sysexits.h, https://github.com/memcached/memcached
var remedies = object.Remedies{
	OOMKilled: "raise the container's memory limit",
	ExitCodes: map[int32]string{
		1:  "memcached could not start; its log says why",
		64: "memcached was started with a flag or value that it does not take; its log names it",
		71: "memcached could not open its port or files; its log says why",
	},
}

func status(memcached *Memcached, workload *object.Workload, pods []*object.Pod, now metav1.Time) Status {
	rollout := object.RolloutOf(workload, *memcached.Spec.Size, memcached)
	conditions := object.Conditions(rollout, object.Diagnose(pods, rollout, remedies))
	return Status{
		Nodes:         object.Names(pods),
		Replicas:      rollout.Replicas,
		ReadyReplicas: rollout.Ready,
		Selector:      k8slabels.FormatLabels(selectorLabels(memcached)),
		// Metacontroller sets it all the same; with it a status that is rendered without Metacontroller is whole.
		ObservedGeneration: memcached.Generation,
		Conditions:         object.Stamp(conditions, memcached.Status.Conditions, memcached.Generation, now),
	}
}
