package corevalidation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Affinity validates the node affinity, pod affinity and pod anti-affinity of pods; nil is valid.
func Affinity(path *field.Path, affinity *corev1.Affinity) field.ErrorList {
	var errs field.ErrorList
	if affinity == nil {
		return errs
	}
	if to := affinity.NodeAffinity; to != nil {
		errs = append(errs, nodeAffinity(path.Child("nodeAffinity"), to)...)
	}
	if to := affinity.PodAffinity; to != nil {
		errs = append(errs, podAffinity(path.Child("podAffinity"), to.RequiredDuringSchedulingIgnoredDuringExecution, to.PreferredDuringSchedulingIgnoredDuringExecution)...)
	}
	if to := affinity.PodAntiAffinity; to != nil {
		errs = append(errs, podAffinity(path.Child("podAntiAffinity"), to.RequiredDuringSchedulingIgnoredDuringExecution, to.PreferredDuringSchedulingIgnoredDuringExecution)...)
	}
	return errs
}

func nodeAffinity(path *field.Path, affinity *corev1.NodeAffinity) field.ErrorList {
	errs := nodeSelector(path.Child("requiredDuringSchedulingIgnoredDuringExecution"), affinity.RequiredDuringSchedulingIgnoredDuringExecution)
	for i := range affinity.PreferredDuringSchedulingIgnoredDuringExecution {
		term := &affinity.PreferredDuringSchedulingIgnoredDuringExecution[i]
		at := path.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i)
		errs = append(errs, weight(at.Child("weight"), term.Weight)...)
		errs = append(errs, nodeSelectorTerm(at.Child("preference"), &term.Preference, anyValues)...)
	}
	return errs
}

func podAffinity(path *field.Path, required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) field.ErrorList {
	var errs field.ErrorList
	for i := range required {
		errs = append(errs, podAffinityTerm(path.Child("requiredDuringSchedulingIgnoredDuringExecution").Index(i), &required[i])...)
	}
	for i := range preferred {
		at := path.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i)
		errs = append(errs, weight(at.Child("weight"), preferred[i].Weight)...)
		errs = append(errs, podAffinityTerm(at.Child("podAffinityTerm"), &preferred[i].PodAffinityTerm)...)
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
	errs = append(errs, labelKeys(path.Child("matchLabelKeys"), term.MatchLabelKeys, term.LabelSelector)...)
	errs = append(errs, labelKeys(path.Child("mismatchLabelKeys"), term.MismatchLabelKeys, term.LabelSelector)...)
	for i, key := range term.MatchLabelKeys {
		if slices.Contains(term.MismatchLabelKeys, key) {
			errs = append(errs, field.Invalid(path.Child("matchLabelKeys").Index(i), key, "must not also be in mismatchLabelKeys"))
		}
		if selects(term.LabelSelector, key) {
			errs = append(errs, field.Invalid(path.Child("matchLabelKeys").Index(i), key, "must not also be in labelSelector"))
		}
	}
	return errs
}

// labelKeys validates the keys of labels whose values a pod adds to a selector. Such keys require a selector.
func labelKeys(path *field.Path, keys []string, selector *metav1.LabelSelector) field.ErrorList {
	if len(keys) > 0 && selector == nil {
		return field.ErrorList{field.Forbidden(path, "requires a labelSelector")}
	}
	var errs field.ErrorList
	for i, key := range keys {
		errs = append(errs, metavalidation.ValidateLabelName(key, path.Index(i))...)
	}
	return errs
}

// selects reports whether a selector has a requirement for the label with that key.
func selects(selector *metav1.LabelSelector, key string) bool {
	if selector == nil {
		return false
	}
	_, found := selector.MatchLabels[key]
	return found || slices.ContainsFunc(selector.MatchExpressions, func(each metav1.LabelSelectorRequirement) bool { return each.Key == key })
}

func weight(path *field.Path, value int32) field.ErrorList {
	if 1 <= value && value <= 100 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, "must be from 1 to 100")}
}
