// Package validation refuses specs that would break a cache.
//
// The API server validates a spec first, by the CRD. A spec can violate the CRD all the same: it was stored before a rule existed, a
// person sent it to the hook, or render reads it, which evaluates no CEL. So a rule of the CRD is here too for one of these
// reasons, which the functions name:
//
//   - open: clients or peers could connect that must not, or pods would lose a protection.
//   - size: the number of pods, their memory or the time between two steps follows from the value.
//   - name: names or labels of other objects follow from the value.
//   - late: the cache starts, and items are lost at its first change.
//
// Only the CRD has the other rules. Without them, the API server refuses a child and reports it, or memcached does not start. Only this
// package has rules about Kubernetes types, and those that compare several fields with the memory that follows.
package validation

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Validate returns an error for a spec that must not change a running cache. listed are the kinds of children that the
// CompositeController lists, losesItems reports whether an empty workload would replace one of the other kind, and domain is that
// of the cluster.
func Validate(memcached *v1alpha1.Memcached, listed sets.Set[string], losesItems bool, domain string) error {
	spec, path := &memcached.Spec, field.NewPath("spec")
	errs := corevalidation.ParentName(memcached)
	errs = append(errs, validateName(memcached)...)
	errs = append(errs, validateSize(spec.Size, path.Child("size"))...)
	errs = append(errs, validateWorkload(memcached, path, losesItems)...)
	errs = append(errs, validateKinds(spec, path, listed)...)
	errs = append(errs, validateCache(&spec.Cache, path.Child("cache"))...)
	errs = append(errs, validateSecurity(spec, path)...)
	errs = append(errs, validateFlash(spec.Flash, path.Child("flash"))...)
	errs = append(errs, validateMetrics(&spec.Metrics, path.Child("metrics"))...)
	errs = append(errs, validateScaling(&spec.Scaling, path.Child("scaling"))...)
	errs = append(errs, validateProxy(spec, path)...)
	errs = append(errs, validateAnnotations(path.Child("service", "annotations"), spec.Service.Annotations)...)
	errs = append(errs, validateBudget(&spec.PodDisruptionBudget, path.Child("podDisruptionBudget"))...)
	errs = append(errs, validateNetworkPolicy(&spec.NetworkPolicy, path.Child("networkPolicy"))...)
	errs = append(errs, validatePod(memcached, path)...)
	if len(errs) == 0 { // the memory size and the server names follow from valid fields only
		errs = append(errs, validateMemory(spec, path)...)
		errs = append(errs, validateProxyConfig(memcached, path, domain)...)
	}
	return corevalidation.Summary(errs)
}

// validateName repeats a rule of the CRD. Reason: name.
func validateName(memcached *v1alpha1.Memcached) (errs field.ErrorList) {
	for _, suffix := range proxy.NameSuffixes {
		if strings.HasSuffix(memcached.Name, suffix) {
			errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), memcached.Name,
				"must not end with "+suffix+", because the children of another Memcached may have this name"))
		}
	}
	return errs
}

// validateSize repeats rules of the CRD. Reason: size.
func validateSize(size *int32, path *field.Path) field.ErrorList {
	if errs := corevalidation.Replicas(path, size); len(errs) > 0 {
		return errs
	}
	return validateRange(path, size, 0, moves.MaxServers)
}

// validateWorkload repeats rules of the CRD. Reason: name.
func validateWorkload(memcached *v1alpha1.Memcached, path *field.Path, losesItems bool) field.ErrorList {
	spec := &memcached.Spec
	errs := corevalidation.OneOf(path.Child("workload"), spec.Workload, v1alpha1.DeploymentWorkload, v1alpha1.StatefulSetWorkload)
	if losesItems {
		errs = append(errs, field.Forbidden(path.Child("workload"), "cannot change, because the cache would start empty. Restore the old value, or set StatefulSet explicitly if empty pods may replace the pods of the Deployment"))
	}
	const limit = 52
	if spec.Workload == v1alpha1.StatefulSetWorkload && len(memcached.Name) > limit {
		errs = append(errs, field.TooLong(field.NewPath("metadata", "name"), memcached.Name, limit))
	}
	return errs
}

// validateScaling repeats rules of the CRD. Reason: size.
func validateScaling(steps *v1alpha1.Scaling, path *field.Path) field.ErrorList {
	errs := validateRange(path.Child("maxStep"), steps.MaxStep, 1, moves.MaxServers)
	errs = append(errs, validateRange(path.Child("stepIntervalSeconds"), steps.StepIntervalSeconds, 1, 86400)...)
	return errs
}

// validateBudget repeats rules of the CRD. Reason: open, because the API server would refuse the whole PodDisruptionBudget, and a drain
// could evict all pods.
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

func validateRange[T int32 | int64](path *field.Path, value *T, minimum, maximum T) field.ErrorList {
	if value == nil || minimum <= *value && *value <= maximum {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *value, fmt.Sprintf("must be from %d to %d", minimum, maximum))}
}

func validateQuantity(path *field.Path, value *resource.Quantity, minimum, maximum string) field.ErrorList {
	if value == nil || value.Cmp(resource.MustParse(minimum)) >= 0 && value.Cmp(resource.MustParse(maximum)) <= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value.String(), fmt.Sprintf("must be a quantity from %s to %s", minimum, maximum))}
}
