package corevalidation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ParentName validates the name of a parent for its children: pods have it as a label, and a Service may have the same name.
func ParentName(parent metav1.Object) field.ErrorList {
	var errs field.ErrorList
	for _, message := range validation.IsDNS1035Label(parent.GetName()) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), parent.GetName(), message))
	}
	return errs
}

// Replicas validates a number of pods, which must be set and not negative.
func Replicas(path *field.Path, replicas *int32) field.ErrorList {
	if replicas == nil {
		return field.ErrorList{field.Required(path, "set the number of pods")}
	}
	if *replicas < 0 {
		return field.ErrorList{field.Invalid(path, *replicas, "must be at least 0")}
	}
	return nil
}
