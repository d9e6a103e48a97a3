package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/memory"
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

// validateFlash repeats rules of the CRD. Reasons: start and size, and child for the claims.
func validateFlash(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	flash := spec.Flash
	if flash == nil {
		return nil
	}
	flashPath := path.Child("flash")
	errs := validateObjectName(flashPath.Child("storageClassName"), ptr.Deref(flash.StorageClassName, ""))
	errs = append(errs, validateQuantity(flashPath.Child("averageItemSize"), flash.AverageItemSize, "128", "1Gi", 0, "must be a quantity from 128 bytes to 1Gi")...)
	errs = append(errs, validateQuantity(flashPath.Child("minItemSize"), flash.MinItemSize, "128", "512Ki", 0, "must be a quantity from 128 bytes to 512Ki")...)
	errs = append(errs, validateRange(flashPath.Child("threads"), flash.Threads, 1, 64)...)
	errs = append(errs, validateFlashSizes(flash, flashPath)...)
	if spec.Cache.MaxItemSize.Cmp(*flash.WriteBuffer) > 0 {
		errs = append(errs, field.Invalid(path.Child("cache", "maxItemSize"), spec.Cache.MaxItemSize.String(), fmt.Sprintf("must not be greater than spec.flash.writeBuffer, which is %s: memcached does not start otherwise", flash.WriteBuffer)))
	}
	return errs
}

// validateFlashSizes validates the size of the volume, the pages and the write buffers against each other.
func validateFlashSizes(flash *v1alpha1.Flash, path *field.Path) field.ErrorList {
	const evenSize = "must be a quantity that is a multiple of 2Mi from 2Mi to 1Gi: memcached does not start otherwise"
	errs := validateQuantity(path.Child("writeBuffer"), flash.WriteBuffer, "2Mi", "1Gi", 2*memory.Mebibyte, evenSize)
	errs = append(errs, validateQuantity(path.Child("pageSize"), flash.PageSize, "2Mi", "1Gi", 2*memory.Mebibyte, evenSize)...)
	if len(errs) > 0 {
		return errs
	}
	if flash.Size == nil {
		return field.ErrorList{field.Required(path.Child("size"), "must be the size of the volume of each pod")}
	}
	if flash.Size.Cmp(minFlashSize) < 0 {
		errs = append(errs, field.Invalid(path.Child("size"), flash.Size.String(), "must be a quantity of at least 1Gi"))
	}
	page := flash.PageSize.Value()
	if flash.Size.CmpInt64(minFlashPages*page) < 0 || flash.Size.CmpInt64(maxFlashPages*page) > 0 {
		errs = append(errs, field.Invalid(path.Child("size"), flash.Size.String(), fmt.Sprintf("must be from %d to %d times pageSize, which is %s", minFlashPages, maxFlashPages, flash.PageSize)))
	}
	if page%flash.WriteBuffer.Value() != 0 {
		errs = append(errs, field.Invalid(path.Child("pageSize"), flash.PageSize.String(), fmt.Sprintf("must be a multiple of writeBuffer, which is %s: memcached does not start otherwise", flash.WriteBuffer)))
	}
	return errs
}
