package memcached

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func validateCache(cache *v1alpha1.Cache, path *field.Path) field.ErrorList {
	errs := validateRange(path.Child("memoryMB"), cache.MemoryMB, minItemMiB, maxItemMiB)
	errs = append(errs, validateRange(path.Child("overheadPercent"), cache.OverheadPercent, 0, 400)...)
	errs = append(errs, validateRange(path.Child("maxConnections"), cache.MaxConnections, 64, 1000000)...)
	errs = append(errs, validateRange(path.Child("threads"), cache.Threads, 1, 64)...)
	errs = append(errs, validateRange(path.Child("verbosity"), cache.Verbosity, 0, 2)...)
	if threads := ptr.Deref(cache.Threads, defaultThreads); maxConnections(cache) < 16*int64(threads) {
		errs = append(errs, field.Invalid(path.Child("maxConnections"), maxConnections(cache), fmt.Sprintf("must be at least 16 per thread, and there are %d threads: memcached counts its own open files as connections and does not start with too few", threads)))
	}
	size := itemSizeKiB(maxItemSize(cache))
	if size < 512 || size > 1<<20 || size%512 != 0 {
		errs = append(errs, field.Invalid(path.Child("maxItemSize"), cache.MaxItemSize, "must be a multiple of 512k up to 1024m, such as 512k or 8m"))
	}
	return append(errs, validateExtraArgs(cache.ExtraArgs, path.Child("extraArgs"))...)
}

// itemSizeKiB parses a size such as 512k or 8m. It returns 0 for an invalid size.
func itemSizeKiB(size string) int64 {
	digits, unit := size, int64(0)
	if length := len(size); length > 0 {
		digits, unit = size[:length-1], map[byte]int64{'k': 1, 'm': 1024}[size[length-1]]
	}
	number, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || number < 0 || digits[0] == '+' {
		return 0
	}
	return number * unit
}

// validateMemory validates the memory limit, the request and the items against each other. It does not refuse a limit that
// is too low for spec.cache.memoryMB: the cache runs, and its status reports the problem.
func validateMemory(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	limit, limited := spec.Resources.Limits[corev1.ResourceMemory]
	if limited && mebibytes(limit) < 1 { // the kubelet treats a limit of 0 as no limit
		return field.ErrorList{field.Invalid(path.Child("resources", "limits").Key("memory"), limit.String(), "must be at least 1Mi")}
	}
	size := memorySizeOf(spec)
	errs := validateMemoryRequest(spec, size, path)
	minimum := max(minItemMiB, 2*itemSizeKiB(maxItemSize(&spec.Cache))/1024)
	switch {
	case size.itemMiB >= minimum:
		return errs
	case spec.Cache.MemoryMB != nil:
		return append(errs, field.Invalid(path.Child("cache", "memoryMB"), size.itemMiB, fmt.Sprintf("must be at least %d, twice spec.cache.maxItemSize: memcached does not start otherwise", minimum)))
	case limited:
		needed := limitFor(minimum, size.fixedMiB, size.overheadPercent)
		return append(errs, field.Invalid(path.Child("resources", "limits").Key("memory"), limit.String(), fmt.Sprintf("must be at least %dMi: %d MiB of items, the minimum, and what memcached uses in addition to them", needed, minimum)))
	}
	return append(errs, field.Invalid(path.Child("cache", "maxItemSize"), spec.Cache.MaxItemSize, fmt.Sprintf("must be at most half of spec.cache.memoryMB, which is %d by default", defaultMemoryMB)))
}

// validateMemoryRequest validates a request if spec has no limit, and the limit therefore follows from spec.cache.
func validateMemoryRequest(spec *v1alpha1.MemcachedSpec, size memorySize, path *field.Path) field.ErrorList {
	request := spec.Resources.Requests[corev1.ResourceMemory]
	if _, limited := spec.Resources.Limits[corev1.ResourceMemory]; limited || request.CmpInt64(size.limitMiB*mebibyte) <= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("resources", "requests").Key("memory"), request.String(), fmt.Sprintf("must not be greater than the limit of %dMi that spec.cache needs", size.limitMiB))}
}
