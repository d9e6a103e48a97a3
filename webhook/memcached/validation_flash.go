package memcached

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	// minFlashPages is enough for the pages that memcached writes to at the same time, and for some to evict.
	minFlashPages = 16
	// maxFlashPages is more than the 65534 pages that fit into the file, because the file has 90 percent of the size.
	maxFlashPages = 1 << 16
)

// minFlashSize is the smallest volume for which a flash tier is useful, and which most storage providers offer.
var minFlashSize = resource.MustParse("1Gi")

// disablesFlash matches an option without which no item moves to flash, or keys do not get the memory that items leave.
var disablesFlash = regexp.MustCompile(`(^|[,=])no_(modern|lru_maintainer|slab_reassign|slab_automove)`)

func validateFlash(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	flash := spec.Flash
	if flash == nil {
		return nil
	}
	flashPath := path.Child("flash")
	errs := validateObjectName(flashPath.Child("storageClassName"), ptr.Deref(flash.StorageClassName, ""))
	errs = append(errs, validateRange(flashPath.Child("averageItemBytes"), flash.AverageItemBytes, 128, 1<<30)...)
	errs = append(errs, validateRange(flashPath.Child("minItemBytes"), flash.MinItemBytes, 128, 512<<10)...)
	errs = append(errs, validateRange(flashPath.Child("threads"), flash.Threads, 1, 64)...)
	errs = append(errs, validateFlashSizes(flash, flashPath)...)
	if itemSizeKiB(maxItemSize(&spec.Cache)) > int64(writeBufferMB(flash))*1024 {
		errs = append(errs, field.Invalid(path.Child("cache", "maxItemSize"), maxItemSize(&spec.Cache), fmt.Sprintf("must not be greater than spec.flash.writeBufferMB, which is %d: memcached does not start otherwise", writeBufferMB(flash))))
	}
	if spec.Cache.DisableEvictions {
		errs = append(errs, field.Forbidden(flashPath, "cannot be combined with spec.cache.disableEvictions: a full flash evicts pages in any case"))
	}
	for i, arg := range spec.Cache.ExtraArgs {
		if disablesFlash.MatchString(arg) {
			errs = append(errs, field.Invalid(path.Child("cache", "extraArgs").Index(i), arg, "must not disable the LRU maintainer or the slab mover of memcached, which spec.flash needs"))
		}
	}
	return errs
}

// validateFlashSizes validates the size of the volume, the pages and the write buffers against each other.
func validateFlashSizes(flash *v1alpha1.Flash, path *field.Path) field.ErrorList {
	errs := validateEvenMB(path.Child("writeBufferMB"), flash.WriteBufferMB)
	errs = append(errs, validateEvenMB(path.Child("pageSizeMB"), flash.PageSizeMB)...)
	if len(errs) > 0 {
		return errs
	}
	if flash.Size == nil {
		return field.ErrorList{field.Required(path.Child("size"), "must be the size of the volume of each pod")}
	}
	if flash.Size.Cmp(minFlashSize) < 0 {
		errs = append(errs, field.Invalid(path.Child("size"), flash.Size.String(), "must be at least 1Gi"))
	}
	page := int64(pageSizeMB(flash))
	if flash.Size.CmpInt64(minFlashPages*page*mebibyte) < 0 || flash.Size.CmpInt64(maxFlashPages*page*mebibyte) > 0 {
		errs = append(errs, field.Invalid(path.Child("size"), flash.Size.String(), fmt.Sprintf("must be from %d to %d pages of pageSizeMB, which is %d", minFlashPages, maxFlashPages, page)))
	}
	if page%int64(writeBufferMB(flash)) != 0 {
		errs = append(errs, field.Invalid(path.Child("pageSizeMB"), page, fmt.Sprintf("must be a multiple of writeBufferMB, which is %d: memcached does not start otherwise", writeBufferMB(flash))))
	}
	return errs
}

func validateEvenMB(path *field.Path, value *int32) field.ErrorList {
	if value == nil || 2 <= *value && *value <= 1024 && *value%2 == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *value, "must be an even number from 2 to 1024: memcached does not start otherwise")}
}
