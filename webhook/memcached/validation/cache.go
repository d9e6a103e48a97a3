package validation

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validateCache repeats rules of the CRD. Reasons: size and start.
func validateCache(cache *v1alpha1.Cache, path *field.Path) field.ErrorList {
	errs := validateQuantity(path.Child("memory"), cache.Memory, "16Mi", "1Ti", 0, "must be a quantity from 16Mi to 1Ti, such as 1Gi")
	errs = append(errs, validateRange(path.Child("overheadPercent"), cache.OverheadPercent, 0, 400)...)
	errs = append(errs, validateRange(path.Child("maxConnections"), cache.MaxConnections, 64, 1000000)...)
	errs = append(errs, validateRange(path.Child("threads"), cache.Threads, 1, 64)...)
	if threads := *cache.Threads; *cache.MaxConnections < 16*int64(threads) {
		errs = append(errs, field.Invalid(path.Child("maxConnections"), *cache.MaxConnections, fmt.Sprintf("must be at least 16 per thread, and there are %d threads: memcached counts its own open files as connections and does not start with too few", threads)))
	}
	errs = append(errs, validateQuantity(path.Child("maxItemSize"), cache.MaxItemSize, "512Ki", "1Gi", 512<<10, "must be a quantity that is a multiple of 512Ki from 512Ki to 1Gi, such as 8Mi: memcached stores large items in chunks of 512Ki and does not start otherwise")...)
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
	case size.ItemMiB >= minimum:
		return errs
	case spec.Cache.Memory != nil:
		return append(errs, field.Invalid(path.Child("cache", "memory"), spec.Cache.Memory.String(), fmt.Sprintf("must be at least %dMi, twice spec.cache.maxItemSize: memcached does not start otherwise", minimum)))
	case limited:
		needed := memory.LimitFor(minimum, size.FixedMiB, size.OverheadPercent)
		return append(errs, field.Invalid(path.Child("resources", "limits").Key("memory"), limit.String(), fmt.Sprintf("must be at least %dMi: %d MiB of items, the minimum, and what memcached uses in addition to them", needed, minimum)))
	}
	return append(errs, field.Invalid(path.Child("cache", "maxItemSize"), spec.Cache.MaxItemSize.String(), fmt.Sprintf("must be at most half of spec.cache.memory, which is %dMi by default", memory.DefaultItemMiB)))
}

// validateMemoryRequest validates a request if spec has no limit, and the limit therefore follows from spec.cache.
func validateMemoryRequest(spec *v1alpha1.MemcachedSpec, size memory.Size, path *field.Path) field.ErrorList {
	request := spec.Resources.Requests[corev1.ResourceMemory]
	if _, limited := spec.Resources.Limits[corev1.ResourceMemory]; limited || request.CmpInt64(size.LimitMiB*memory.Mebibyte) <= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("resources", "requests").Key("memory"), request.String(), fmt.Sprintf("must not be greater than the limit of %dMi that spec.cache needs", size.LimitMiB))}
}
