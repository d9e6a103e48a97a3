package children

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

const (
	// helperCPUAnnotation on a workload has the factor of [HelperCPU] in its pod template, unless it is 0.
	helperCPUAnnotation = "memcached-operator.example.com/helper-cpu-limit-factor"

	// helperCPUFactor leaves room for the start of the program and for bursts. A limit of the request itself would throttle both.
	helperCPUFactor = 20
)

// HelperCPU is the default CPU limit of helpers in multiples of their CPU request; 0 for none.
type HelperCPU int64

// HelperCPUOf returns the default that was applied to a workload. If there is none, it is the one for new pods, whose main container has
// these resources. A quota on limits.cpu refuses a pod if one of its containers has no limit, so helpers have one if the main container has
// one.
func HelperCPUOf(main corev1.ResourceRequirements, applied *observed.Workload) HelperCPU {
	if applied != nil {
		factor, _ := strconv.ParseInt(applied.Annotations[helperCPUAnnotation], 10, 32)
		return HelperCPU(factor)
	}
	if _, limited := main.Limits[corev1.ResourceCPU]; !limited {
		return 0
	}
	return helperCPUFactor
}

// RecordHelperCPU adds the default in a pod template to the annotations of its workload, for [HelperCPUOf].
func RecordHelperCPU(annotations map[string]string, factor HelperCPU) {
	if factor != 0 {
		annotations[helperCPUAnnotation] = strconv.FormatInt(int64(factor), 10)
	}
}

// HelperResources returns the resources of a helper: a container next to memcached, or one that copies items. None exceeded the requests in
// tests.
func HelperResources(spec *v1alpha1.MemcachedSpec, milliCPU int64, factor HelperCPU) corev1.ResourceRequirements {
	defaults := corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewMilliQuantity(milliCPU, resource.DecimalSI),
			corev1.ResourceMemory: resource.MustParse("32Mi"),
		},
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")},
	}
	if factor > 0 {
		defaults.Limits[corev1.ResourceCPU] = *resource.NewMilliQuantity(milliCPU*int64(factor), resource.DecimalSI)
	}
	return ResourcesOr(spec.HelperResources, defaults)
}
