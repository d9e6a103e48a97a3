package memcached

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validate repeats what the CRD refuses: a parent that was stored before a rule was there, or past it, must not decide
// what happens to a running cache. It also refuses what no rule of a CRD can: a memory limit that the cache itself,
// reckoned from it, does not fit under.
func validate(memcached *v1alpha1.Memcached, observed *childGroups) error {
	spec, path := &memcached.Spec, field.NewPath("spec")
	errs := corevalidation.ParentName(memcached)
	errs = append(errs, corevalidation.Replicas(path.Child("size"), spec.Size)...)
	errs = append(errs, validateWorkload(memcached, path)...)
	errs = append(errs, validateCache(&spec.Cache, path.Child("cache"))...)
	errs = append(errs, validateSecurity(spec, path)...)
	errs = append(errs, validateMetrics(&spec.Metrics, path.Child("metrics"))...)
	errs = append(errs, validateRollout(&spec.Rollout, path.Child("rollout"))...)
	errs = append(errs, validateScaling(&spec.Scaling, path.Child("scaling"))...)
	errs = append(errs, validateService(&spec.Service, path.Child("service"))...)
	errs = append(errs, validateBudget(&spec.PodDisruptionBudget, path.Child("podDisruptionBudget"))...)
	errs = append(errs, validateNetworkPolicy(&spec.NetworkPolicy, path.Child("networkPolicy"))...)
	errs = append(errs, validatePod(spec, path)...)
	errs = append(errs, validateScheduling(memcached, path)...)
	if len(errs) == 0 { // which the reckoning rests on
		errs = append(errs, validateMemory(spec, path)...)
	}
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	return validateWorkloadChange(memcached, observed)
}

// validateWorkloadChange refuses a parent whose pods run in a workload of the other kind.
func validateWorkloadChange(memcached *v1alpha1.Memcached, observed *childGroups) error {
	kind := workloadKind(&memcached.Spec)
	former, others := v1alpha1.StatefulSetWorkload, observed.StatefulSets
	if kind == v1alpha1.StatefulSetWorkload {
		former, others = v1alpha1.DeploymentWorkload, observed.Deployments
	}
	if others.Len() == 0 {
		return nil
	}
	return fmt.Errorf("spec.workload cannot be changed from %s to %s, because the cache would start empty: set it back, or create another Memcached", former, kind)
}

func validateWorkload(memcached *v1alpha1.Memcached, path *field.Path) field.ErrorList {
	spec := &memcached.Spec
	errs := corevalidation.OneOf(path.Child("workload"), workloadKind(spec), v1alpha1.DeploymentWorkload, v1alpha1.StatefulSetWorkload)
	errs = append(errs, within(path.Child("size"), spec.Size, 0, maxReplicas)...)
	if workloadKind(spec) != v1alpha1.StatefulSetWorkload {
		return errs
	}
	if spec.Rollout.MaxSurge != nil || spec.Rollout.MaxUnavailable != nil {
		errs = append(errs, field.Forbidden(path.Child("rollout"), "maxSurge and maxUnavailable are for a Deployment: a StatefulSet replaces one pod after the other, for each name is taken"))
	}
	if len(memcached.Name) > 52 {
		errs = append(errs, field.TooLong(field.NewPath("metadata", "name"), memcached.Name, 52))
	}
	return errs
}

func validateRollout(rollout *v1alpha1.RolloutOptions, path *field.Path) field.ErrorList {
	errs := within(path.Child("minReadySeconds"), rollout.MinReadySeconds, 0, 86400)
	errs = append(errs, podsOrPercent(path.Child("maxSurge"), rollout.MaxSurge)...)
	errs = append(errs, podsOrPercent(path.Child("maxUnavailable"), rollout.MaxUnavailable)...)
	if isZero(maxSurge(rollout)) && isZero(maxUnavailable(rollout)) {
		errs = append(errs, field.Forbidden(path, "maxSurge and maxUnavailable must not both be 0: no pod could ever be replaced"))
	}
	return errs
}

func validateScaling(scaling *v1alpha1.Scaling, path *field.Path) field.ErrorList {
	errs := within(path.Child("maxStep"), scaling.MaxStep, 1, 1000)
	errs = append(errs, within(path.Child("stepIntervalSeconds"), scaling.StepIntervalSeconds, 1, 86400)...)
	if scaling.StepIntervalSeconds != nil && scaling.MaxStep == nil {
		errs = append(errs, field.Required(path.Child("maxStep"), "without it a change of size is one step, and has no interval"))
	}
	return errs
}

func validateBudget(budget *v1alpha1.PodDisruptionBudget, path *field.Path) field.ErrorList {
	errs := podsOrPercent(path.Child("minAvailable"), budget.MinAvailable)
	errs = append(errs, podsOrPercent(path.Child("maxUnavailable"), budget.MaxUnavailable)...)
	if budget.MinAvailable != nil && budget.MaxUnavailable != nil {
		errs = append(errs, field.Forbidden(path, "minAvailable and maxUnavailable exclude each other"))
	}
	return errs
}

func podsOrPercent(path *field.Path, given *intstr.IntOrString) field.ErrorList {
	if given == nil || given.Type == intstr.Int && given.IntVal >= 0 || given.Type == intstr.String && percentage.MatchString(given.StrVal) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, given.String(), "must be a number of pods or a percentage up to 100%")}
}

var percentage = regexp.MustCompile(`^(100|[1-9]?[0-9])%$`)

func isZero(given intstr.IntOrString) bool { return given.String() == "0" || given.String() == "0%" }

func within[T int32 | int64](path *field.Path, given *T, low, high T) field.ErrorList {
	if given == nil || low <= *given && *given <= high {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *given, fmt.Sprintf("must be from %d to %d", low, high))}
}

func atMost(path *field.Path, length, most int) field.ErrorList {
	if length <= most {
		return nil
	}
	return field.ErrorList{field.TooMany(path, length, most)}
}
