package validation

import (
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func validatePod(memcached *v1alpha1.Memcached, path *field.Path) field.ErrorList {
	spec := &memcached.Spec
	errs := corevalidation.Resources(path.Child("resources"), &spec.Resources)
	errs = append(errs, validatePodLabels(path.Child("podLabels"), spec.PodLabels)...)
	errs = append(errs, validateAnnotations(path.Child("podAnnotations"), spec.PodAnnotations)...)
	errs = append(errs, corevalidation.PodSecurityContext(path.Child("podSecurityContext"), spec.PodSecurityContext)...)
	errs = append(errs, corevalidation.SecurityContext(path.Child("securityContext"), spec.SecurityContext)...)
	errs = append(errs, corevalidation.Sorted(metavalidation.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector")))...)
	errs = append(errs, corevalidation.Affinity(path.Child("affinity"), spec.Affinity)...)
	errs = append(errs, corevalidation.Tolerations(path.Child("tolerations"), spec.Tolerations)...)
	if len(spec.TopologySpreadConstraints) == 0 {
		return errs
	}
	// The operator adds a labelSelector to a constraint without one, so the result is validated.
	return append(errs, corevalidation.TopologySpreadConstraints(path.Child("topologySpreadConstraints"), children.TopologySpreadConstraints(memcached))...)
}
