package memcached

import (
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validate repeats what the CRD refuses: a parent that was stored before a rule was there, or past it, must not decide
// what happens to a running cache.
func validate(memcached *Memcached) error {
	var errs field.ErrorList
	for _, message := range validation.IsDNS1035Label(memcached.Name) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), memcached.Name, message))
	}
	size := field.NewPath("spec", "size")
	switch {
	case memcached.Spec.Size == nil:
		errs = append(errs, field.Required(size, "say how many memcached pods to run"))
	case *memcached.Spec.Size < 0:
		errs = append(errs, field.Invalid(size, *memcached.Spec.Size, "must be at least 0"))
	}
	return errs.ToAggregate()
}
