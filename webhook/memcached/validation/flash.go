package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validateFlash repeats rules of the CRD. Reason: size, because the memory of the keys and buffers follows from all these quantities.
func validateFlash(flash *v1alpha1.Flash, path *field.Path) field.ErrorList {
	if flash == nil {
		return nil
	}
	if flash.Size == nil {
		return field.ErrorList{field.Required(path.Child("size"), "must be the size of the volume of each pod")}
	}
	errs := validateQuantity(path.Child("size"), flash.Size, "1Gi", "64Ti") // memcached numbers pages, of at most 1Gi, with 16 bits
	errs = append(errs, validateQuantity(path.Child("averageItemSize"), flash.AverageItemSize, "128", "1Gi")...)
	errs = append(errs, validateQuantity(path.Child("minItemSize"), flash.MinItemSize, "128", "512Ki")...)
	errs = append(errs, validateQuantity(path.Child("writeBuffer"), flash.WriteBuffer, "2Mi", "1Gi")...)
	return append(errs, validateQuantity(path.Child("pageSize"), flash.PageSize, "2Mi", "1Gi")...)
}
