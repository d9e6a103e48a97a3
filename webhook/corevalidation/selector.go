package corevalidation

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// labelSelector validates a label selector; nil is valid.
func labelSelector(path *field.Path, selector *metav1.LabelSelector) field.ErrorList {
	return Sorted(metavalidation.ValidateLabelSelector(selector, metavalidation.LabelSelectorValidationOptions{}, path))
}

// nodeSelector validates the terms that a node must match.
func nodeSelector(path *field.Path, selector *corev1.NodeSelector) field.ErrorList {
	if selector == nil {
		return nil
	}
	path = path.Child("nodeSelectorTerms")
	if len(selector.NodeSelectorTerms) == 0 {
		return field.ErrorList{field.Required(path, "must have at least one term")}
	}
	var errs field.ErrorList
	for i := range selector.NodeSelectorTerms {
		errs = append(errs, nodeSelectorTerm(path.Index(i), &selector.NodeSelectorTerms[i], labelValues)...)
	}
	return errs
}

// nodeSelectorTerm validates one term. The function values validates the values of labels.
func nodeSelectorTerm(path *field.Path, term *corev1.NodeSelectorTerm, values func(*field.Path, []string) field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	for i, requirement := range term.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		errs = append(errs, nodeExpression(at, requirement)...)
		errs = append(errs, values(at.Child("values"), requirement.Values)...)
	}
	for i, requirement := range term.MatchFields {
		errs = append(errs, nodeField(path.Child("matchFields").Index(i), requirement)...)
	}
	return errs
}

func nodeExpression(path *field.Path, requirement corev1.NodeSelectorRequirement) field.ErrorList {
	errs := metavalidation.ValidateLabelName(requirement.Key, path.Child("key"))
	count, values := len(requirement.Values), path.Child("values")
	switch requirement.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if count == 0 {
			errs = append(errs, field.Required(values, "must not be empty for the operators In and NotIn"))
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if count > 0 {
			errs = append(errs, field.Forbidden(values, "must be empty for the operators Exists and DoesNotExist"))
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if count != 1 {
			errs = append(errs, field.Required(values, "must be one value for the operators Gt and Lt"))
		}
	default:
		errs = append(errs, OneOf(path.Child("operator"), requirement.Operator, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt)...)
	}
	return errs
}

// nodeField validates a requirement for a field of a node. The only such field is metadata.name.
func nodeField(path *field.Path, requirement corev1.NodeSelectorRequirement) field.ErrorList {
	errs := OneOf(path.Child("key"), requirement.Key, metav1.ObjectNameField)
	errs = append(errs, OneOf(path.Child("operator"), requirement.Operator, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn)...)
	if len(requirement.Values) != 1 {
		return append(errs, field.Required(path.Child("values"), "must be one node name"))
	}
	return append(errs, invalid(path.Child("values").Index(0), requirement.Values[0], validation.IsDNS1123Subdomain(requirement.Values[0]))...)
}

func labelValues(path *field.Path, values []string) field.ErrorList {
	var errs field.ErrorList
	for i, value := range values {
		errs = append(errs, invalid(path.Index(i), value, validation.IsValidLabelValue(value))...)
	}
	return errs
}

// anyValues accepts every value: the API server does not validate preferred values.
func anyValues(*field.Path, []string) field.ErrorList { return nil }
