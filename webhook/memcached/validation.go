package memcached

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/object"
)

// validate repeats what the CRD refuses: a parent that was stored before a rule was there, or past it, must not decide
// what happens to a running cache.
func validate(memcached *Memcached) error {
	errs := object.ValidateName(memcached)
	errs = append(errs, object.ValidateReplicas(field.NewPath("spec", "size"), memcached.Spec.Size)...)
	return errs.ToAggregate()
}
