package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// ReasonScaling is the reason of Progressing while a change of size goes on in steps.
const ReasonScaling = "Scaling"

func status(memcached *Memcached, workload *object.Workload, scale scale, pods []*object.Pod, has optional, now metav1.Time) Status {
	rollout := object.RolloutOf(workload, scale.size, memcached)
	size := sizingOf(&memcached.Spec)
	conditions := object.Conditions(rollout, diagnose(&memcached.Spec, pods, rollout, now))
	if scale.pending() {
		tellSteps(conditions, scale)
	}
	if metrics := metricsReady(&memcached.Spec, pods, has.serviceMonitors); metrics != nil {
		conditions = append(conditions, *metrics)
	}
	if secrets := secretsCurrent(&memcached.Spec, has.reloaderImage, pods, now); secrets != nil {
		conditions = append(conditions, *secrets)
	}
	return Status{
		ReplicaStatus:   rollout.StatusWith(conditions, memcached.Status.ReplicaStatus, pods, selectorLabels(memcached), now),
		UpdatedReplicas: rollout.Updated,
		ServerList:      serverList(memcached, scale.replicas, pods),
		Memory:          MemoryStatus{ItemMiB: size.items, LimitMiB: size.limit},
		Scaling:         scale.status,
	}
}

// tellSteps puts the steps to come where the conditions would only say that the size is not reached yet.
func tellSteps(conditions []metav1.Condition, scale scale) {
	for i := range conditions {
		if conditions[i].Reason == object.ReasonRollingOut {
			conditions[i].Reason, conditions[i].Message = ReasonScaling, scale.String()
		}
	}
}
