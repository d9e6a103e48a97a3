package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func validatePod(memcached *v1alpha1.Memcached, path *field.Path) field.ErrorList {
	spec := &memcached.Spec
	errs := corevalidation.Resources(path.Child("resources"), &spec.Resources)
	errs = append(errs, corevalidation.Resources(path.Child("helperResources"), &spec.HelperResources)...)
	errs = append(errs, validatePodLabels(path.Child("podLabels"), spec.PodLabels)...)
	return append(errs, validateAnnotations(path.Child("podAnnotations"), spec.PodAnnotations)...)
}
