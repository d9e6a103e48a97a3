package corevalidation

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Tolerations validates the tolerations of pods. It refuses the operators Lt and Gt, which require an alpha feature gate.
func Tolerations(path *field.Path, tolerations []corev1.Toleration) field.ErrorList {
	var errs field.ErrorList
	for i := range tolerations {
		errs = append(errs, toleration(path.Index(i), &tolerations[i])...)
	}
	return errs
}

func toleration(path *field.Path, given *corev1.Toleration) field.ErrorList {
	errs := OneOf(path.Child("operator"), given.Operator, "", corev1.TolerationOpExists, corev1.TolerationOpEqual)
	errs = append(errs, OneOf(path.Child("effect"), given.Effect, "", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
	exists := given.Operator == corev1.TolerationOpExists
	if given.Key != "" {
		errs = append(errs, metavalidation.ValidateLabelName(given.Key, path.Child("key"))...)
	} else if !exists {
		errs = append(errs, field.Required(path.Child("key"), "is optional only for the operator Exists"))
	}
	if exists && given.Value != "" {
		errs = append(errs, field.Invalid(path.Child("value"), given.Value, "must be empty for the operator Exists"))
	}
	errs = append(errs, invalid(path.Child("value"), given.Value, validation.IsValidLabelValue(given.Value))...)
	if given.TolerationSeconds != nil && given.Effect != corev1.TaintEffectNoExecute {
		errs = append(errs, field.Forbidden(path.Child("tolerationSeconds"), "is allowed only for the effect NoExecute"))
	}
	return errs
}

// TopologySpreadConstraints validates the topology spread constraints of pods. Each pair of topologyKey and
// whenUnsatisfiable must be unique.
func TopologySpreadConstraints(path *field.Path, constraints []corev1.TopologySpreadConstraint) field.ErrorList {
	var errs field.ErrorList
	for i := range constraints {
		given, at := &constraints[i], path.Index(i)
		errs = append(errs, topologySpreadConstraint(at, given)...)
		if slices.ContainsFunc(constraints[:i], func(other corev1.TopologySpreadConstraint) bool {
			return other.TopologyKey == given.TopologyKey && other.WhenUnsatisfiable == given.WhenUnsatisfiable
		}) {
			errs = append(errs, field.Duplicate(at.Child("topologyKey"), fmt.Sprintf("%s with whenUnsatisfiable %s", given.TopologyKey, given.WhenUnsatisfiable)))
		}
	}
	return errs
}

func topologySpreadConstraint(path *field.Path, given *corev1.TopologySpreadConstraint) field.ErrorList {
	errs := OneOf(path.Child("whenUnsatisfiable"), given.WhenUnsatisfiable, corev1.DoNotSchedule, corev1.ScheduleAnyway)
	if given.MaxSkew < 1 {
		errs = append(errs, field.Invalid(path.Child("maxSkew"), given.MaxSkew, "must be at least 1"))
	}
	if given.TopologyKey == "" {
		errs = append(errs, field.Required(path.Child("topologyKey"), "set the node label by which pods are spread"))
	}
	if given.MinDomains != nil && (*given.MinDomains < 1 || given.WhenUnsatisfiable != corev1.DoNotSchedule) {
		errs = append(errs, field.Invalid(path.Child("minDomains"), *given.MinDomains, "must be at least 1, and is allowed only for whenUnsatisfiable DoNotSchedule"))
	}
	errs = append(errs, optional(path.Child("nodeAffinityPolicy"), given.NodeAffinityPolicy, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)...)
	errs = append(errs, optional(path.Child("nodeTaintsPolicy"), given.NodeTaintsPolicy, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)...)
	errs = append(errs, labelSelector(path.Child("labelSelector"), given.LabelSelector)...)
	return append(errs, matchLabelKeys(path.Child("matchLabelKeys"), given.MatchLabelKeys, given.LabelSelector)...)
}
