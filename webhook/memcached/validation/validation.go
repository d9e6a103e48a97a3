// Package validation refuses specs that would break a cache, or that memcached or the API server would refuse later.
package validation

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Validate repeats the validation of the CRD, because a parent may have been stored before a rule existed, and must not
// change a running cache. It also refuses what a CRD cannot, such as a memory limit that is too low for the minimum of
// items.
func Validate(memcached *v1alpha1.Memcached, managed sets.Set[string]) error {
	spec, path := &memcached.Spec, field.NewPath("spec")
	errs := corevalidation.ParentName(memcached)
	errs = append(errs, corevalidation.Replicas(path.Child("size"), spec.Size)...)
	errs = append(errs, validateWorkload(memcached, path)...)
	errs = append(errs, validateManaged(spec, path, managed)...)
	errs = append(errs, validateCache(&spec.Cache, path.Child("cache"))...)
	errs = append(errs, validateSecurity(spec, path)...)
	errs = append(errs, validateFlash(spec, path)...)
	errs = append(errs, validateMetrics(&spec.Metrics, path.Child("metrics"))...)
	errs = append(errs, validateRollout(&spec.Rollout, path.Child("rollout"))...)
	errs = append(errs, validateScaling(&spec.Scaling, path.Child("scaling"))...)
	errs = append(errs, validateProxy(spec, path)...)
	errs = append(errs, validateService(&spec.Service, path.Child("service"))...)
	errs = append(errs, validateBudget(&spec.PodDisruptionBudget, path.Child("podDisruptionBudget"))...)
	errs = append(errs, validateNetworkPolicy(&spec.NetworkPolicy, path.Child("networkPolicy"))...)
	errs = append(errs, validatePod(spec, path)...)
	errs = append(errs, validateScheduling(memcached, path)...)
	if len(errs) == 0 { // the memory size and the server names follow from valid fields only
		errs = append(errs, validateMemory(spec, path)...)
		errs = append(errs, validateProxyConfig(memcached, path)...)
	}
	return errs.ToAggregate()
}

func validateWorkload(memcached *v1alpha1.Memcached, path *field.Path) field.ErrorList {
	spec := &memcached.Spec
	errs := corevalidation.OneOf(path.Child("workload"), spec.Workload, v1alpha1.DeploymentWorkload, v1alpha1.StatefulSetWorkload)
	errs = append(errs, validateRange(path.Child("size"), spec.Size, 0, scaling.MaxServers)...)
	if spec.Workload != v1alpha1.StatefulSetWorkload {
		return errs
	}
	if spec.Rollout.MaxSurge != nil || spec.Rollout.MaxUnavailable != nil {
		errs = append(errs, field.Forbidden(path.Child("rollout"), "maxSurge and maxUnavailable require a Deployment: a StatefulSet replaces one pod at a time"))
	}
	if len(memcached.Name) > 52 {
		errs = append(errs, field.TooLong(field.NewPath("metadata", "name"), memcached.Name, 52))
	}
	return errs
}

func validateRollout(rollout *v1alpha1.RolloutOptions, path *field.Path) field.ErrorList {
	errs := validateRange(path.Child("minReadySeconds"), rollout.MinReadySeconds, 0, 86400)
	errs = append(errs, validatePodsOrPercent(path.Child("maxSurge"), rollout.MaxSurge)...)
	errs = append(errs, validatePodsOrPercent(path.Child("maxUnavailable"), rollout.MaxUnavailable)...)
	if isZero(children.MaxSurge(rollout)) && isZero(children.MaxUnavailable(rollout)) {
		errs = append(errs, field.Forbidden(path, "maxSurge and maxUnavailable must not both be 0, because no pod could be replaced"))
	}
	return errs
}

func validateScaling(scaling *v1alpha1.Scaling, path *field.Path) field.ErrorList {
	errs := validateRange(path.Child("maxStep"), scaling.MaxStep, 1, 1000)
	errs = append(errs, validateRange(path.Child("stepIntervalSeconds"), scaling.StepIntervalSeconds, 1, 86400)...)
	return errs
}

func validateBudget(budget *v1alpha1.PodDisruptionBudget, path *field.Path) field.ErrorList {
	errs := validatePodsOrPercent(path.Child("minAvailable"), budget.MinAvailable)
	errs = append(errs, validatePodsOrPercent(path.Child("maxUnavailable"), budget.MaxUnavailable)...)
	if budget.MinAvailable != nil && budget.MaxUnavailable != nil {
		errs = append(errs, field.Forbidden(path, "minAvailable and maxUnavailable are mutually exclusive"))
	}
	return errs
}

var percentage = regexp.MustCompile(`^(100|[1-9]?[0-9])%$`)

func validatePodsOrPercent(path *field.Path, value *intstr.IntOrString) field.ErrorList {
	if value == nil || value.Type == intstr.Int && value.IntVal >= 0 || value.Type == intstr.String && percentage.MatchString(value.StrVal) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value.String(), "must be a number of pods or a percentage up to 100%")}
}

func isZero(value intstr.IntOrString) bool { return value.String() == "0" || value.String() == "0%" }

func validateRange[T int32 | int64](path *field.Path, value *T, minimum, maximum T) field.ErrorList {
	if value == nil || minimum <= *value && *value <= maximum {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *value, fmt.Sprintf("must be from %d to %d", minimum, maximum))}
}

// validateQuantity validates a range, and that a quantity is a multiple of a unit if the unit is not 0.
func validateQuantity(path *field.Path, value *resource.Quantity, minimum, maximum string, unit int64, message string) field.ErrorList {
	switch {
	case value == nil:
		return nil
	case value.Cmp(resource.MustParse(minimum)) < 0, value.Cmp(resource.MustParse(maximum)) > 0:
	case unit == 0, value.CmpInt64(value.Value()) == 0 && value.Value()%unit == 0:
		return nil
	}
	return field.ErrorList{field.Invalid(path, value.String(), message)}
}

func validateMaxItems(path *field.Path, length, maximum int) field.ErrorList {
	if length <= maximum {
		return nil
	}
	return field.ErrorList{field.TooMany(path, length, maximum)}
}
