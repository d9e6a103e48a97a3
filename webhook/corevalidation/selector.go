package corevalidation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type selectorOptions = metavalidation.LabelSelectorValidationOptions

// labelSelector validates a label selector; nil is valid.
func labelSelector(path *field.Path, selector *metav1.LabelSelector) field.ErrorList {
	return Sorted(metavalidation.ValidateLabelSelector(selector, selectorOptions{}, path))
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

// matchLabelKeys validates the keys in matchLabelKeys, which must not be in the selector.
func matchLabelKeys(path *field.Path, keys []string, selector *metav1.LabelSelector) field.ErrorList {
	errs := labelKeys(path, keys, selector)
	for i, key := range keys {
		if selector == nil {
			continue
		}
		_, found := selector.MatchLabels[key]
		if found || slices.ContainsFunc(selector.MatchExpressions, func(each metav1.LabelSelectorRequirement) bool { return each.Key == key }) {
			errs = append(errs, field.Invalid(path.Index(i), key, "must not also be in labelSelector"))
		}
	}
	return errs
}

func nodeSelectorTerm(path *field.Path, term *corev1.NodeSelectorTerm, options selectorOptions) field.ErrorList {
	var errs field.ErrorList
	for i := range term.MatchExpressions {
		errs = append(errs, nodeExpression(path.Child("matchExpressions").Index(i), &term.MatchExpressions[i], options)...)
	}
	for i := range term.MatchFields {
		errs = append(errs, nodeField(path.Child("matchFields").Index(i), &term.MatchFields[i])...)
	}
	return errs
}

// nodeExpression validates a requirement for a label of a node. Only such requirements have the operators Gt and Lt.
func nodeExpression(path *field.Path, given *corev1.NodeSelectorRequirement, options selectorOptions) field.ErrorList {
	requirement := metav1.LabelSelectorRequirement{Key: given.Key, Operator: metav1.LabelSelectorOperator(given.Operator), Values: given.Values}
	if given.Operator == corev1.NodeSelectorOpGt || given.Operator == corev1.NodeSelectorOpLt {
		if len(given.Values) != 1 {
			return field.ErrorList{field.Required(path.Child("values"), "must be one value for the operators Gt and Lt")}
		}
		requirement.Operator = metav1.LabelSelectorOpIn
	}
	return metavalidation.ValidateLabelSelectorRequirement(requirement, options, path)
}

// nodeField validates a requirement for a field of a node. The only such field is metadata.name.
func nodeField(path *field.Path, given *corev1.NodeSelectorRequirement) field.ErrorList {
	errs := OneOf(path.Child("key"), given.Key, metav1.ObjectNameField)
	errs = append(errs, OneOf(path.Child("operator"), given.Operator, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn)...)
	if len(given.Values) != 1 {
		return append(errs, field.Required(path.Child("values"), "must be one node name"))
	}
	return append(errs, invalid(path.Child("values").Index(0), given.Values[0], validation.IsDNS1123Subdomain(given.Values[0]))...)
}
