package corevalidation

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ParentName validates the name of a parent for its children: pods have it as a label, and a Service may have the same name.
func ParentName(parent metav1.Object) field.ErrorList {
	return invalid(field.NewPath("metadata", "name"), parent.GetName(), validation.IsDNS1035Label(parent.GetName()))
}

// Replicas validates a number of pods, which must be set and not negative.
func Replicas(path *field.Path, replicas *int32) field.ErrorList {
	if replicas == nil {
		return field.ErrorList{field.Required(path, "must be the number of pods")}
	}
	return apivalidation.ValidateNonnegativeField(int64(*replicas), path)
}
