package memcached

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/object"
)

// ReasonScaling is the reason of Progressing while a change of size takes several steps.
const ReasonScaling = "Scaling"

// assess returns the status, and the time after which it may differ although no object changed.
func assess(observed *observation, workload *object.Workload, pods []*object.Pod, scale scale, children []runtime.Object, reloaderImage string) (Status, time.Duration, error) {
	memcached, spec := observed.Parent, &observed.Parent.Spec
	size := sizingOf(spec)
	rollout := object.RolloutOf(workload, scale.size, memcached, pods)
	secrets := secretsOf(spec, memcached.Status.Conditions, reloaderImage, rollout, pods, observed.Now)
	seen := observationOf(observed, workload, pods)
	seen.Rollout = rollout
	seen.Holder, seen.Leftover = holders(memcached, &observed.Related)
	seen.Children, seen.Observed = children, observed.Child
	seen.Steps, seen.LastStep = scale.steps(), scale.lastStep()
	seen.Remedies = remedies(spec, size)
	seen.Causes = []object.Finding{secrets.mounted, secrets.reloaded}
	seen.Risks = []object.Finding{tightMemory(spec, size)}
	assessed, err := object.Assess(seen)
	if err != nil {
		return Status{}, 0, err
	}
	return Status{
		ReplicaStatus: assessed.Status(seen, conditions(
			metricsReady(spec, pods, observed.Children.ServiceMonitors.Listed()),
			secrets.condition,
		)...),
		UpdatedReplicas: rollout.Updated,
		ServerList:      serverList(memcached, scale.replicas, pods),
		Memory:          MemoryStatus{ItemMiB: size.items, LimitMiB: size.limit},
		Scaling:         scale.status,
	}, assessed.Wait, nil
}

func observationOf(observed *observation, workload *object.Workload, pods []*object.Pod) *object.Observation {
	return &object.Observation{
		Parent:    observed.Parent,
		Before:    observed.Parent.Status.ReplicaStatus,
		Workload:  workload,
		Pods:      pods,
		Selector:  selectorLabels(observed.Parent),
		Container: containerName,
		Now:       observed.Now,
	}
}

// conditions returns those that the cache has.
func conditions(optional ...*metav1.Condition) []metav1.Condition {
	var all []metav1.Condition
	for _, condition := range optional {
		if condition != nil {
			all = append(all, *condition)
		}
	}
	return all
}

// invalidStatus describes the cache that runs on although spec is invalid. What follows from spec stays as it was.
func invalidStatus(observed *observation, pods []*object.Pod, cause error) Status {
	memcached := observed.Parent
	status := memcached.Status
	workload := observed.Children.Deployments.Get(memcached.Namespace, memcached.Name)
	status.ServerList = serverAddresses(pods)
	if stateful := observed.Children.StatefulSets.Get(memcached.Namespace, memcached.Name); stateful != nil {
		workload = stateful
		status.ServerList = serverNames(memcached, min(max(ptr.Deref(stateful.Spec.Replicas, 0), 0), maxReplicas))
	}
	if workload != nil {
		status.UpdatedReplicas = workload.Status.UpdatedReplicas
	}
	status.ReplicaStatus = object.InvalidStatus(observationOf(observed, workload, pods), cause)
	return status
}
