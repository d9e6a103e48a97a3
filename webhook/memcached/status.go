package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func (s *syncState) status(assessment *conditions.Assessment) v1alpha1.MemcachedStatus {
	o := &s.observation
	var own []metav1.Condition
	for _, condition := range []*metav1.Condition{diagnosis.MetricsCondition(&s.request.Parent.Spec, o.Pods, s.monitorsManaged), s.secrets.Condition} {
		if condition != nil {
			own = append(own, *condition)
		}
	}
	return v1alpha1.MemcachedStatus{
		ReplicaStatus:   assessment.Status(o, own...),
		UpdatedReplicas: o.Rollout.Updated,
		ServerList:      children.ServerList(s.request.Parent, s.plan.Servers, o.Pods),
		Image:           children.Image(&s.request.Parent.Spec, s.plan),
		Memory:          memoryStatus(s.plan.Memory),
		Scaling:         s.plan.Scaling,
		Proxy:           proxyStatus(s.request, s.plan.Plan, assessment),
	}
}

// memoryStatus returns quantities in whole MiB, whatever unit spec has. The API server stores them as they are.
func memoryStatus(size memory.Size) v1alpha1.MemoryStatus {
	status := v1alpha1.MemoryStatus{Items: *memory.MebibyteQuantity(size.ItemMiB), Limit: *memory.MebibyteQuantity(size.LimitMiB)}
	if size.FlashMiB > 0 {
		status.Flash = memory.MebibyteQuantity(size.FlashMiB)
	}
	return status
}

// invalidStatus returns the status of a Memcached with an invalid spec. Its children do not change, and the fields of the
// status that depend on spec keep their values.
func invalidStatus(request *syncRequest, pods []*observed.Pod, cause error) v1alpha1.MemcachedStatus {
	memcached := request.Parent
	status := memcached.Status
	workload := request.Children.Deployments.Get(memcached.Namespace, memcached.Name)
	if memcached.Spec.Workload != v1alpha1.StatefulSetWorkload {
		status.ServerList = children.ServerAddresses(pods)
	}
	if stateful := request.Children.StatefulSets.Get(memcached.Namespace, memcached.Name); stateful != nil {
		workload = stateful
		status.ServerList = children.ServerNames(memcached, min(max(ptr.Deref(stateful.Spec.Replicas, 0), 0), scaling.MaxServers))
	}
	if workload != nil {
		status.UpdatedReplicas = workload.Status.UpdatedReplicas
	}
	o := observationOf(request, workload, pods)
	status.ReplicaStatus = conditions.InvalidStatus(&o, cause)
	return status
}
