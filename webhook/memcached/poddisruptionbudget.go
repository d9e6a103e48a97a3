package memcached

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// podDisruptionBudget lets a drain of nodes take one pod at a time; nil for a single pod, which a budget could only keep
// from ever being moved.
func podDisruptionBudget(memcached *v1alpha1.Memcached, replicas int32) *policyv1.PodDisruptionBudget {
	given := &memcached.Spec.PodDisruptionBudget
	if replicas < 2 || !ptr.Deref(given.Enabled, true) {
		return nil
	}
	budget := &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: objectMeta(memcached, nil),
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector:       &metav1.LabelSelector{MatchLabels: selectorLabels(memcached)},
			MinAvailable:   given.MinAvailable,
			MaxUnavailable: given.MaxUnavailable,
			// A pod that does not serve has no cache to lose, and must not hold up a drain.
			UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
		},
	}
	if given.MinAvailable == nil && given.MaxUnavailable == nil {
		budget.Spec.MaxUnavailable = new(intstr.FromInt32(1))
	}
	return budget
}
