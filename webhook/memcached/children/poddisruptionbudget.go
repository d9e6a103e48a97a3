package children

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// podDisruptionBudgets returns one budget for each set. If both have servers, one budget for all would let a drain evict as many servers
// of one set as the other one has.
func podDisruptionBudgets(memcached *v1alpha1.Memcached, p Plan) []runtime.Object {
	var budgets []runtime.Object
	for set, desired := range p.Sets {
		budget := podDisruptionBudget(memcached, desired.Replicas)
		switch {
		case budget == nil || !desired.Exists:
			continue
		case !p.Sets[scaling.Set(set).Other()].Exists: // one set has all pods
		case scaling.Set(set) == scaling.Second:
			budget.Name = StatefulSetName(memcached, scaling.Second)
			budget.Spec.Selector.MatchLabels = setLabels(budget.Spec.Selector.MatchLabels, scaling.Second)
		default:
			budget.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: SetLabel, Operator: metav1.LabelSelectorOpDoesNotExist}}
		}
		budgets = append(budgets, budget)
	}
	return budgets
}

// PodDisruptionBudget limits a drain of nodes to one pod at a time by default. It returns nil if it is disabled, and for a
// single pod, which a budget would block from ever being evicted.
func podDisruptionBudget(memcached *v1alpha1.Memcached, replicas int32) *policyv1.PodDisruptionBudget {
	spec := &memcached.Spec.PodDisruptionBudget
	if replicas < 2 || !ptr.Deref(spec.Enabled, true) {
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
	if spec.MinAvailable == nil && spec.MaxUnavailable == nil {
		budget.Spec.MaxUnavailable = new(intstr.FromInt32(1))
	}
	return budget
}
