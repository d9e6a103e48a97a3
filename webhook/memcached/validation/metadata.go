package validation

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validatePodLabels validates the labels of pods, and of the ServiceMonitor, which has the same restrictions: name, because Services
// and policies select pods by labels, and child.
func validatePodLabels(path *field.Path, labels map[string]v1alpha1.LabelValue) field.ErrorList {
	var errs field.ErrorList
	values := map[string]string{}
	for key, value := range labels {
		values[key] = string(value)
		if children.OwnedLabel(key) {
			errs = append(errs, field.Forbidden(path.Key(key), "the label identifies pods or children"))
		}
	}
	errs = append(errs, metavalidation.ValidateLabels(values, path)...)
	return corevalidation.Sorted(errs)
}

// validateAnnotations repeats rules of the CRD. Reasons: name, because the hook reads its own annotations, and child.
func validateAnnotations(path *field.Path, annotations map[string]string) field.ErrorList {
	var errs field.ErrorList
	for key := range annotations {
		if children.OwnedAnnotation(key) {
			errs = append(errs, field.Forbidden(path.Key(key), "the annotation is reserved for the operator and Metacontroller"))
		}
	}
	return append(corevalidation.Sorted(errs), corevalidation.Annotations(path, annotations)...)
}

// validatePodAnnotations also refuses annotations that have a meaning for the API server, if the spec has a field with the
// same meaning or if the value is invalid.
func validatePodAnnotations(path *field.Path, annotations map[string]string) field.ErrorList {
	errs := validateAnnotations(path, annotations)
	var special field.ErrorList
	for key, value := range annotations {
		special = append(special, validatePodAnnotation(path.Key(key), key, value)...)
	}
	return append(errs, corevalidation.Sorted(special)...)
}

func validatePodAnnotation(path *field.Path, key, value string) field.ErrorList {
	switch {
	case strings.HasPrefix(key, corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix):
		return field.ErrorList{field.Forbidden(path, "set appArmorProfile in spec.podSecurityContext or spec.securityContext instead")}
	case key == corev1.SeccompPodAnnotationKey, strings.HasPrefix(key, corev1.SeccompContainerAnnotationKeyPrefix):
		return field.ErrorList{field.Forbidden(path, "set seccompProfile in spec.podSecurityContext or spec.securityContext instead")}
	case key == corev1.TolerationsAnnotationKey:
		return field.ErrorList{field.Forbidden(path, "set spec.tolerations instead")}
	case key == corev1.MirrorPodAnnotationKey:
		return field.ErrorList{field.Forbidden(path, "the annotation is reserved for mirror pods of static pods")}
	case key == corev1.PodDeletionCost && !validDeletionCost(value):
		return field.ErrorList{field.Invalid(path, value, "must be a 32-bit integer without a plus sign or leading zeros")}
	}
	return nil
}

func validDeletionCost(value string) bool {
	_, err := strconv.ParseInt(value, 10, 32)
	return err == nil && value[0] != '+' && (value[0] != '0' || value == "0")
}
