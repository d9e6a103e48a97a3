package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func (s *state) status(assessment *conditions.Assessment) v1alpha1.MemcachedStatus {
	o := &s.observation
	var own []metav1.Condition
	for _, condition := range []*metav1.Condition{metricsReady(&s.memcached.Spec, o.Pods, s.monitors), s.secrets.condition} {
		if condition != nil {
			own = append(own, *condition)
		}
	}
	return v1alpha1.MemcachedStatus{
		ReplicaStatus:   assessment.Status(o, own...),
		UpdatedReplicas: o.Rollout.Updated,
		ServerList:      serverList(s.memcached, s.plan.replicas, o.Pods),
		Memory:          v1alpha1.MemoryStatus{ItemMiB: s.plan.memory.items, LimitMiB: s.plan.memory.limit},
		Scaling:         s.scale.status,
	}
}

// invalidStatus describes a cache whose spec is invalid and whose pods therefore run on unchanged. The fields that follow from
// spec stay as they were.
func invalidStatus(request *syncRequest, pods []*observed.Pod, cause error) v1alpha1.MemcachedStatus {
	memcached := request.Parent
	status := memcached.Status
	workload := request.Children.Deployments.Get(memcached.Namespace, memcached.Name)
	status.ServerList = serverAddresses(pods)
	if statefulSet := request.Children.StatefulSets.Get(memcached.Namespace, memcached.Name); statefulSet != nil {
		workload = statefulSet
		status.ServerList = serverNames(memcached, min(max(ptr.Deref(statefulSet.Spec.Replicas, 0), 0), maxReplicas))
	}
	if workload != nil {
		status.UpdatedReplicas = workload.Status.UpdatedReplicas
	}
	o := observationOf(request, workload, pods)
	status.ReplicaStatus = conditions.InvalidStatus(&o, cause)
	return status
}
