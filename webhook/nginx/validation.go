package nginx

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/object"
)

// validate repeats what the CRD refuses: a parent that was stored before a rule was there, or past it, must not decide
// what happens to running pods.
func validate(nginx *Nginx) error {
	errs := object.ValidateReplicas(field.NewPath("spec", "count"), nginx.Spec.Count)
	return append(object.ValidateName(nginx), errs...).ToAggregate()
}
