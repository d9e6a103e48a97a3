package validation

import (
	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validatePod repeats rules of the CRD. Reason: child.
func validatePod(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	errs := corevalidation.OneOf(path.Child("imagePullPolicy"), spec.ImagePullPolicy, "", corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)
	errs = append(errs, corevalidation.Image(path.Child("image"), spec.Image)...)
	errs = append(errs, corevalidation.ImagePullSecrets(path.Child("imagePullSecrets"), spec.ImagePullSecrets)...)
	errs = append(errs, corevalidation.Resources(path.Child("resources"), &spec.Resources)...)
	errs = append(errs, validateTermination(spec, path)...)
	errs = append(errs, validateObjectName(path.Child("priorityClassName"), spec.PriorityClassName)...)
	errs = append(errs, validateObjectName(path.Child("serviceAccountName"), spec.ServiceAccountName)...)
	errs = append(errs, validatePodLabels(path.Child("podLabels"), spec.PodLabels)...)
	errs = append(errs, validatePodAnnotations(path.Child("podAnnotations"), spec.PodAnnotations)...)
	errs = append(errs, corevalidation.PodSecurityContext(path.Child("podSecurityContext"), spec.PodSecurityContext)...)
	return append(errs, corevalidation.SecurityContext(path.Child("securityContext"), spec.SecurityContext)...)
}

func validateScheduling(memcached *v1alpha1.Memcached, path *field.Path) field.ErrorList {
	spec := &memcached.Spec
	errs := corevalidation.Sorted(metavalidation.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector")))
	errs = append(errs, corevalidation.Affinity(path.Child("affinity"), spec.Affinity)...)
	errs = append(errs, corevalidation.Tolerations(path.Child("tolerations"), spec.Tolerations)...)
	if len(spec.TopologySpreadConstraints) == 0 {
		return errs
	}
	// The operator adds a labelSelector to a constraint without one, so the result is validated.
	return append(errs, corevalidation.TopologySpreadConstraints(path.Child("topologySpreadConstraints"), children.TopologySpreadConstraints(memcached))...)
}

func validateTermination(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	errs := validateSleep(spec, spec.PreStopSleepSeconds, path.Child("preStopSleepSeconds"))
	return append(errs, validateRange(path.Child("terminationGracePeriodSeconds"), spec.TerminationGracePeriodSeconds, 1, 7200)...)
}

func validateSleep(spec *v1alpha1.MemcachedSpec, seconds *int64, path *field.Path) field.ErrorList {
	errs := validateRange(path, seconds, 0, 3600)
	if *seconds >= *spec.TerminationGracePeriodSeconds {
		errs = append(errs, field.Invalid(path, *seconds, "must be less than spec.terminationGracePeriodSeconds, which counts from the start of the sleep"))
	}
	return errs
}

func validateObjectName(path *field.Path, name string) field.ErrorList {
	if name == "" || len(validation.IsDNS1123Subdomain(name)) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, name, "must be the name of an object: lower case letters, digits, dashes and dots, with a letter or digit at both ends")}
}
