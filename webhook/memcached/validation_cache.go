package memcached

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateCache(cache *Cache, path *field.Path) field.ErrorList {
	errs := within(path.Child("memoryMB"), cache.MemoryMB, leastItemMiB, mostItemMiB)
	errs = append(errs, within(path.Child("overheadPercent"), cache.OverheadPercent, 0, 400)...)
	errs = append(errs, within(path.Child("maxConnections"), cache.MaxConnections, 64, 1000000)...)
	errs = append(errs, within(path.Child("threads"), cache.Threads, 1, 64)...)
	errs = append(errs, within(path.Child("verbosity"), cache.Verbosity, 0, 2)...)
	if threads := deref(cache.Threads, defaultThreads); cache.maxConnections() < 16*int64(threads) {
		errs = append(errs, field.Invalid(path.Child("maxConnections"), cache.maxConnections(), fmt.Sprintf("must be at least 16 for each of %d threads: memcached counts its own open files among the connections, and does not start with too few", threads)))
	}
	largest := itemSizeKiB(cache.maxItemSize())
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
		case len(arg) > 256:
			errs = append(errs, field.TooLong(path.Index(i), arg, 256))
		}
	}
	return errs
}

// validateMemory holds the limit, the request and the items against each other. A limit that is too low for the items
// that were asked for is not refused: the cache runs, and its status says so.
func validateMemory(spec *Spec, path *field.Path) field.ErrorList {
	size := sizingOf(spec)
	errs := requestsWithinLimits(path.Child("resources", "requests"), resources(spec.Resources, size))
	least := max(leastItemMiB, 2*itemSizeKiB(spec.Cache.maxItemSize())/1024)
	switch {
	case size.items >= least:
		return errs
	case spec.Cache.MemoryMB != nil:
		return append(errs, field.Invalid(path.Child("cache", "memoryMB"), size.items, fmt.Sprintf("must be at least %d, twice spec.cache.maxItemSize: memcached does not start otherwise", least)))
	}
	if limit, limited := spec.Resources.Limits[corev1.ResourceMemory]; limited {
		needed := limitFor(least, size.beside, size.percent)
		return append(errs, field.Invalid(path.Child("resources", "limits").Key("memory"), limit.String(), fmt.Sprintf("must be at least %dMi: %d MiB of items, the least that memcached takes here, and what it uses beside them", needed, least)))
	}
	return append(errs, field.Invalid(path.Child("cache", "maxItemSize"), spec.Cache.MaxItemSize, fmt.Sprintf("must be at most half of spec.cache.memoryMB, which is %d by default", defaultItemMiB)))
}

func noClaims(path *field.Path, resources *corev1.ResourceRequirements) field.ErrorList {
	if len(resources.Claims) == 0 {
		return nil
	}
	return field.ErrorList{field.Forbidden(path.Child("claims"), "they name the resourceClaims of a pod, and these pods have none")}
}

func requestsWithinLimits(path *field.Path, resources corev1.ResourceRequirements) field.ErrorList {
	var errs field.ErrorList
	for name, limit := range resources.Limits {
		if request := resources.Requests[name]; request.Cmp(limit) > 0 {
			errs = append(errs, field.Invalid(path.Key(string(name)), request.String(), "must not be above the limit of "+limit.String()))
		}
	}
	return sorted(errs)
}
