package children

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// podDisruptionBudget limits a drain of nodes to one pod at a time by default. While items move to or from a spare, it lets no further pod
// go: a server that has started again is ready before it has its items. With proxies, minAvailable counts the pods of spec.size. A server
// whose node does not respond counts as unavailable for as long as its pod exists, so a budget that allows one pod allows one more. It
// returns nil if it is disabled, and for a single pod, which a budget would block from ever being evicted.
func podDisruptionBudget(in *Input) runtime.Object {
	memcached, spec := in.Memcached, &in.Memcached.Spec.PodDisruptionBudget
	if in.Decision.Ordinals.Count < 2 || !ptr.Deref(spec.Enabled, true) {
		return nil
	}
	budget := &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: objectMeta(memcached, nil),
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector:       &metav1.LabelSelector{MatchLabels: SelectorLabels(memcached)},
			MinAvailable:   spec.MinAvailable,
			MaxUnavailable: spec.MaxUnavailable,
			// A pod that does not serve must not block a drain, because it has no cache to lose.
			UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
		},
	}
	switch size := int(*memcached.Spec.Size); {
	case spec.MinAvailable == nil && spec.MaxUnavailable == nil:
		budget.Spec.MaxUnavailable = new(intstr.FromInt32(1))
	case spec.MinAvailable != nil && memcached.Spec.Proxy != nil: // more pods than those of spec.size run while items move
		needed, _ := intstr.GetScaledValueFromIntOrPercent(spec.MinAvailable, size, true)
		budget.Spec.MinAvailable, budget.Spec.MaxUnavailable = nil, new(intstr.FromInt32(int32(max(0, size-needed))))
	}
	switch limit, replaced := budget.Spec.MaxUnavailable, in.Decision.StuckServers; {
	case in.Decision.Routes.HasSpares() && replaced == 0:
		budget.Spec.MinAvailable, budget.Spec.MaxUnavailable = nil, new(intstr.FromInt32(0))
	case limit != nil && replaced > 0: // the stuck pods are not available, and do not count
		allowed, _ := intstr.GetScaledValueFromIntOrPercent(limit, int(in.Decision.Ordinals.Count-replaced), true) // 0 if it is not valid
		budget.Spec.MaxUnavailable = new(intstr.FromInt32(min(int32(allowed), *memcached.Spec.Size) + replaced))
	}
	return budget
}
