package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func (s *syncState) status(assessment *conditions.Assessment) v1alpha1.MemcachedStatus {
	o := &s.observation
	var own []metav1.Condition
	for _, condition := range []*metav1.Condition{diagnosis.MetricsCondition(&s.request.Parent.Spec, o.Pods, s.request.Children.ServiceMonitors.Listed()), s.secrets.Condition} {
		if condition != nil {
			own = append(own, *condition)
		}
	}
	return v1alpha1.MemcachedStatus{
		ReplicaStatus:   assessment.Status(o, own...),
		UpdatedReplicas: o.Rollout.Updated,
		Servers:         children.Servers(s.request.Parent, s.plan.Run, o.Pods),
		Image:           children.Image(&s.request.Parent.Spec, s.plan),
		Memory:          memoryStatus(s.plan.Memory),
		Scaling:         s.plan.Scaling,
		Proxy:           s.proxyStatus(assessment),
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
