package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	return Status{ReplicaStatus: rollout.Status(memcached.Status.ReplicaStatus, pods, selectorLabels(memcached), remedies, now)}
}
