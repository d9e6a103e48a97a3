package validation

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validateCache repeats rules of the CRD. Reason: size.
func validateCache(cache *v1alpha1.Cache, path *field.Path) field.ErrorList {
	errs := validateQuantity(path.Child("memory"), cache.Memory, "16Mi", "1Ti")
	errs = append(errs, validateRange(path.Child("overheadPercent"), cache.OverheadPercent, 0, 400)...)
	errs = append(errs, validateRange(path.Child("maxConnections"), cache.MaxConnections, 64, 1000000)...)
	errs = append(errs, validateQuantity(path.Child("maxItemSize"), cache.MaxItemSize, "512Ki", "1Gi")...)
	return append(errs, validateExtraArgs(cache.ExtraArgs, path.Child("extraArgs"))...)
}

// validateMemory validates the memory limit, the request and the items against each other. It does not refuse a limit that
// is too low for spec.cache.memory: the cache runs, and its status reports the problem.
func validateMemory(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	limit, limited := spec.Resources.Limits[corev1.ResourceMemory]
	if limited && memory.Mebibytes(limit) < 1 { // the kubelet treats a limit of 0 as no limit
		return field.ErrorList{field.Invalid(path.Child("resources", "limits").Key("memory"), limit.String(), "must be at least 1Mi")}
	}
	size := memory.Of(spec)
	errs := validateMemoryRequest(spec, size, path)
	minimum := max(memory.MinItemMiB, 2*spec.Cache.MaxItemSize.Value()/memory.Mebibyte)
	switch {
	case size.ItemMiB >= minimum, spec.Cache.Memory != nil: // the CRD compares spec.cache.memory with spec.cache.maxItemSize
		return errs
	case limited:
		needed := memory.LimitFor(minimum, size.FixedMiB, size.OverheadPercent)
		return append(errs, field.Invalid(path.Child("resources", "limits").Key("memory"), limit.String(), fmt.Sprintf("must be at least %dMi: %d MiB for items, which is the minimum, and the memory that memcached needs in addition", needed, minimum)))
	}
	return append(errs, field.Invalid(path.Child("cache", "maxItemSize"), spec.Cache.MaxItemSize.String(), fmt.Sprintf("must be at most half of spec.cache.memory, which is %dMi by default", size.ItemMiB)))
}

// validateMemoryRequest validates a request if spec has no limit, and the limit therefore follows from spec.cache.
func validateMemoryRequest(spec *v1alpha1.MemcachedSpec, size memory.Size, path *field.Path) field.ErrorList {
	request := spec.Resources.Requests[corev1.ResourceMemory]
	if _, limited := spec.Resources.Limits[corev1.ResourceMemory]; limited || request.CmpInt64(size.LimitMiB*memory.Mebibyte) <= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("resources", "requests").Key("memory"), request.String(), fmt.Sprintf("must not be greater than %dMi, the memory limit that spec.cache needs. Decrease the request, or set resources.limits.memory", size.LimitMiB))}
}
