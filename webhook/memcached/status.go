package memcached

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// ReasonScaling is the reason of Progressing while a change of size goes on in steps.
const ReasonScaling = "Scaling"

// ReasonServing is the reason of Available where memcached serves in pods that are not ready for another container.
const ReasonServing = "Serving"

func status(memcached *Memcached, workload *object.Workload, scale scale, pods []*object.Pod, has optional, missing *object.Problem, now metav1.Time) Status {
	rollout := object.RolloutOf(workload, scale.size, memcached)
	if rollout.Settled() {
		rollout.Held = missing
	}
	size := sizingOf(&memcached.Spec)
	conditions := object.Conditions(rollout, diagnose(&memcached.Spec, pods, rollout, now))
	tellServing(conditions, pods)
	if scale.pending() {
		tellSteps(conditions, scale)
	}
	if metrics := metricsReady(&memcached.Spec, pods, has.serviceMonitors); metrics != nil {
		conditions = append(conditions, *metrics)
	}
	if secrets, _ := secretsCurrent(&memcached.Spec, has.reloaderImage, pods, now); secrets != nil {
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

// tellServing corrects what a workload can only guess of: a pod is not ready while the exporter or the reloader is not,
// which ends when it has something to tell, and memcached serves all the same. Pods that are ready the workload counts.
func tellServing(conditions []metav1.Condition, pods []*object.Pod) {
	available := meta.FindStatusCondition(conditions, object.Available)
	if available.Reason != object.ReasonNoReplicaReady {
		return
	}
	if slices.ContainsFunc(pods, func(pod *object.Pod) bool { return !pod.Ready() && pod.Serves(containerName) }) {
		available.Status, available.Reason = metav1.ConditionTrue, ReasonServing
		available.Message = "memcached serves in at least one pod, of which another container is not ready"
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
