package memcached

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func podLabelsAllowed(path *field.Path, given map[string]v1alpha1.LabelValue) field.ErrorList {
	var errs field.ErrorList
	asked := map[string]string{}
	for key, value := range given {
		asked[key] = string(value)
		if ownedLabel(key) {
			errs = append(errs, field.Forbidden(path.Key(key), "pods are found or told apart by it"))
		}
	}
	errs = append(errs, metavalidation.ValidateLabels(asked, path)...)
	return corevalidation.Sorted(append(errs, atMost(path, len(given), 64)...))
}

func annotations(path *field.Path, given map[string]string) field.ErrorList {
	var errs field.ErrorList
	for key := range given {
		if ownedAnnotation(key) {
			errs = append(errs, field.Forbidden(path.Key(key), "it is reserved for the operator and Metacontroller"))
		}
	}
	errs = append(corevalidation.Sorted(errs), corevalidation.Annotations(path, given)...)
	return append(errs, atMost(path, len(given), 64)...)
}

// validatePodAnnotations refuses the annotations to which the API server gives a meaning in a pod, where a field of the
// spec has the same meaning or where the value is invalid.
func validatePodAnnotations(path *field.Path, given map[string]string) field.ErrorList {
	errs := annotations(path, given)
	var special field.ErrorList
	for key, value := range given {
		special = append(special, podAnnotation(path.Key(key), key, value)...)
	}
	return append(errs, corevalidation.Sorted(special)...)
}

func podAnnotation(path *field.Path, key, value string) field.ErrorList {
	switch {
	case strings.HasPrefix(key, corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix):
		return field.ErrorList{field.Forbidden(path, "set appArmorProfile in spec.podSecurityContext or spec.securityContext instead")}
	case key == corev1.SeccompPodAnnotationKey, strings.HasPrefix(key, corev1.SeccompContainerAnnotationKeyPrefix):
		return field.ErrorList{field.Forbidden(path, "set seccompProfile in spec.podSecurityContext or spec.securityContext instead")}
	case key == corev1.TolerationsAnnotationKey:
		return field.ErrorList{field.Forbidden(path, "set spec.tolerations instead")}
	case key == corev1.MirrorPodAnnotationKey:
		return field.ErrorList{field.Forbidden(path, "it marks the copies of static pods")}
	case key == corev1.PodDeletionCost && !isDeletionCost(value):
		return field.ErrorList{field.Invalid(path, value, "must be a 32-bit integer without a plus sign or leading zeros")}
	}
	return nil
}

func isDeletionCost(value string) bool {
	_, err := strconv.ParseInt(value, 10, 32)
	return err == nil && value[0] != '+' && (value[0] != '0' || value == "0")
}
