package validation

import (
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validatePodLabels validates the labels of pods, and of the ServiceMonitor, which has the same restrictions. It repeats a rule of the CRD.
// Reason: name, because Services and policies select pods by labels. The CRD has no rule for the syntax of keys.
func validatePodLabels(path *field.Path, labels map[string]v1alpha1.LabelValue) field.ErrorList {
	var errs field.ErrorList
	values := map[string]string{}
	for key, value := range labels {
		values[key] = string(value)
		if children.OwnedLabel(key) {
			errs = append(errs, field.Forbidden(path.Key(key), "the operator or a workload uses this label to identify objects"))
		}
	}
	errs = append(errs, metavalidation.ValidateLabels(values, path)...)
	return corevalidation.Sorted(errs)
}

// validateAnnotations repeats a rule of the CRD. Reason: name, because the hook reads its own annotations. The CRD has no rule for the
// syntax of keys and the size of all annotations.
func validateAnnotations(path *field.Path, annotations map[string]string) field.ErrorList {
	var errs field.ErrorList
	for key := range annotations {
		if children.OwnedAnnotation(key) {
			errs = append(errs, field.Forbidden(path.Key(key), "this annotation is reserved for the operator and Metacontroller"))
		}
	}
	return append(corevalidation.Sorted(errs), corevalidation.Annotations(path, annotations)...)
}
