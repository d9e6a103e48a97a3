package corevalidation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	required  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferred = "preferredDuringSchedulingIgnoredDuringExecution"
)

// Affinity validates the node affinity, pod affinity and pod anti-affinity of pods; nil is valid.
func Affinity(path *field.Path, affinity *corev1.Affinity) field.ErrorList {
	if affinity == nil {
		return nil
	}
	errs := nodeAffinity(path.Child("nodeAffinity"), affinity.NodeAffinity)
	errs = append(errs, podAffinity(path.Child("podAffinity"), affinity.PodAffinity)...)
	return append(errs, podAffinity(path.Child("podAntiAffinity"), (*corev1.PodAffinity)(affinity.PodAntiAffinity))...)
}

func nodeAffinity(path *field.Path, affinity *corev1.NodeAffinity) field.ErrorList {
	if affinity == nil {
		return nil
	}
	var errs field.ErrorList
	if selector := affinity.RequiredDuringSchedulingIgnoredDuringExecution; selector != nil {
		terms := path.Child(required, "nodeSelectorTerms")
		if len(selector.NodeSelectorTerms) == 0 {
			errs = append(errs, field.Required(terms, "must have at least one term"))
		}
		for i := range selector.NodeSelectorTerms {
			errs = append(errs, nodeSelectorTerm(terms.Index(i), &selector.NodeSelectorTerms[i], selectorOptions{})...)
		}
	}
	for i := range affinity.PreferredDuringSchedulingIgnoredDuringExecution {
		term, at := &affinity.PreferredDuringSchedulingIgnoredDuringExecution[i], path.Child(preferred).Index(i)
		errs = append(errs, weight(at, term.Weight)...)
		// The API server does not validate preferred values.
		errs = append(errs, nodeSelectorTerm(at.Child("preference"), &term.Preference, selectorOptions{AllowInvalidLabelValueInSelector: true})...)
	}
	return errs
}

func podAffinity(path *field.Path, affinity *corev1.PodAffinity) field.ErrorList {
	if affinity == nil {
		return nil
	}
	var errs field.ErrorList
	for i := range affinity.RequiredDuringSchedulingIgnoredDuringExecution {
		errs = append(errs, podAffinityTerm(path.Child(required).Index(i), &affinity.RequiredDuringSchedulingIgnoredDuringExecution[i])...)
	}
	for i := range affinity.PreferredDuringSchedulingIgnoredDuringExecution {
		term, at := &affinity.PreferredDuringSchedulingIgnoredDuringExecution[i], path.Child(preferred).Index(i)
		errs = append(errs, weight(at, term.Weight)...)
		errs = append(errs, podAffinityTerm(at.Child("podAffinityTerm"), &term.PodAffinityTerm)...)
	}
	return errs
}

func podAffinityTerm(path *field.Path, term *corev1.PodAffinityTerm) field.ErrorList {
	errs := labelSelector(path.Child("labelSelector"), term.LabelSelector)
	errs = append(errs, labelSelector(path.Child("namespaceSelector"), term.NamespaceSelector)...)
	errs = append(errs, metavalidation.ValidateLabelName(term.TopologyKey, path.Child("topologyKey"))...)
	for i, name := range term.Namespaces {
		errs = append(errs, invalid(path.Child("namespaces").Index(i), name, validation.IsDNS1123Label(name))...)
	}
	errs = append(errs, matchLabelKeys(path.Child("matchLabelKeys"), term.MatchLabelKeys, term.LabelSelector)...)
	errs = append(errs, labelKeys(path.Child("mismatchLabelKeys"), term.MismatchLabelKeys, term.LabelSelector)...)
	for i, key := range term.MatchLabelKeys {
		if slices.Contains(term.MismatchLabelKeys, key) {
			errs = append(errs, field.Invalid(path.Child("matchLabelKeys").Index(i), key, "must not also be in mismatchLabelKeys"))
		}
	}
	return errs
}

func weight(path *field.Path, value int32) field.ErrorList {
	if 1 <= value && value <= 100 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("weight"), value, "must be from 1 to 100")}
}
