package memcached

import (
	"fmt"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func validateCache(cache *v1alpha1.Cache, path *field.Path) field.ErrorList {
	errs := within(path.Child("memoryMB"), cache.MemoryMB, leastItemMiB, mostItemMiB)
	errs = append(errs, within(path.Child("overheadPercent"), cache.OverheadPercent, 0, 400)...)
	errs = append(errs, within(path.Child("maxConnections"), cache.MaxConnections, 64, 1000000)...)
	errs = append(errs, within(path.Child("threads"), cache.Threads, 1, 64)...)
	errs = append(errs, within(path.Child("verbosity"), cache.Verbosity, 0, 2)...)
	if threads := ptr.Deref(cache.Threads, defaultThreads); maxConnections(cache) < 16*int64(threads) {
		errs = append(errs, field.Invalid(path.Child("maxConnections"), maxConnections(cache), fmt.Sprintf("must be at least 16 for each of %d threads: memcached counts its own open files among the connections, and does not start with too few", threads)))
	}
	largest := itemSizeKiB(maxItemSize(cache))
	if largest < 512 || largest > 1<<20 || largest%512 != 0 {
		errs = append(errs, field.Invalid(path.Child("maxItemSize"), cache.MaxItemSize, "must be a multiple of 512k up to 1024m, as 512k or 8m"))
	}
	return append(errs, validateExtraArgs(cache.ExtraArgs, path.Child("extraArgs"))...)
}

func validateExtraArgs(args []string, path *field.Path) field.ErrorList {
	errs := atMost(path, len(args), 32)
	for i, arg := range args {
		switch why := refuseArg(arg); {
		case why != "":
			errs = append(errs, field.Invalid(path.Index(i), arg, why))
		case arg == "":
			errs = append(errs, field.Required(path.Index(i), "memcached stops at an empty argument"))
		case utf8.RuneCountInString(arg) > 256: // as the CRD counts
			errs = append(errs, field.TooLongCharacters(path.Index(i), arg, 256))
		}
	}
	return errs
}

// validateMemory validates the limit, the request and the items against each other. A limit that is too low for the
// items of spec.cache.memoryMB is not refused: the cache runs, and its status reports it.
func validateMemory(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	limit, limited := spec.Resources.Limits[corev1.ResourceMemory]
	if limited && mebibytes(limit) < 1 { // no limit at all to the kubelet, or one that rounds to that
		return field.ErrorList{field.Invalid(path.Child("resources", "limits").Key("memory"), limit.String(), "must be at least 1Mi")}
	}
	size := memorySizeOf(spec)
	errs := validateMemoryRequest(spec, size, path)
	least := max(leastItemMiB, 2*itemSizeKiB(maxItemSize(&spec.Cache))/1024)
	switch {
	case size.items >= least:
		return errs
	case spec.Cache.MemoryMB != nil:
		return append(errs, field.Invalid(path.Child("cache", "memoryMB"), size.items, fmt.Sprintf("must be at least %d, twice spec.cache.maxItemSize: memcached does not start otherwise", least)))
	case limited:
		needed := limitFor(least, size.fixed, size.percent)
		return append(errs, field.Invalid(path.Child("resources", "limits").Key("memory"), limit.String(), fmt.Sprintf("must be at least %dMi: %d MiB of items, the minimum, and what memcached uses in addition to them", needed, least)))
	}
	return append(errs, field.Invalid(path.Child("cache", "maxItemSize"), spec.Cache.MaxItemSize, fmt.Sprintf("must be at most half of spec.cache.memoryMB, which is %d by default", defaultMemoryMB)))
}

// validateMemoryRequest validates a request whose limit is not given, but derived from spec.cache.
func validateMemoryRequest(spec *v1alpha1.MemcachedSpec, size memorySize, path *field.Path) field.ErrorList {
	request := spec.Resources.Requests[corev1.ResourceMemory]
	if _, limited := spec.Resources.Limits[corev1.ResourceMemory]; limited || request.CmpInt64(size.limit*mebibyte) <= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("resources", "requests").Key("memory"), request.String(), fmt.Sprintf("must not be above the limit of %dMi that spec.cache needs", size.limit))}
}
