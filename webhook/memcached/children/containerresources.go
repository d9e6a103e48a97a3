package children

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/memory"
)

// containerResources returns the resources of the memcached container. The memory request defaults to the limit, because a
// cache fills its memory.
func containerResources(spec corev1.ResourceRequirements, size memory.Size) corev1.ResourceRequirements {
	rounded := roundResources(spec)
	if rounded.Limits == nil {
		rounded.Limits = corev1.ResourceList{}
	}
	if rounded.Requests == nil {
		rounded.Requests = corev1.ResourceList{}
	}
	rounded.Limits[corev1.ResourceMemory] = MemoryLimit(&spec, size)
	if _, requested := rounded.Requests[corev1.ResourceMemory]; !requested {
		rounded.Requests[corev1.ResourceMemory] = rounded.Limits[corev1.ResourceMemory]
	}
	return rounded
}

// MemoryLimit returns the memory limit of the memcached container.
func MemoryLimit(spec *corev1.ResourceRequirements, size memory.Size) resource.Quantity {
	limit, limited := spec.Limits[corev1.ResourceMemory]
	if !limited {
		return *memory.MebibyteQuantity(size.LimitMiB)
	}
	rounded := limit.DeepCopy()
	rounded.RoundUp(resource.Milli)
	return rounded
}

// ResourcesOr returns the resources of spec; defaults if it has none.
func ResourcesOr(spec, defaults corev1.ResourceRequirements) corev1.ResourceRequirements {
	if spec.Limits == nil && spec.Requests == nil && spec.Claims == nil {
		return defaults
	}
	return roundResources(spec)
}

// roundResources rounds quantities up to thousandths, as the API server does. Other quantities would differ from the stored
// ones, which causes a write at every sync.
//
// https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/v1/defaults.go, SetDefaults_ResourceList
func roundResources(spec corev1.ResourceRequirements) corev1.ResourceRequirements {
	rounded := *spec.DeepCopy()
	for _, list := range []corev1.ResourceList{rounded.Limits, rounded.Requests} {
		for name, quantity := range list {
			quantity.RoundUp(resource.Milli)
			list[name] = quantity
		}
	}
	return rounded
}
