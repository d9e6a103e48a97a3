package object

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateName refuses the name of a parent that its children could not bear: pods carry it as a label, and a Service
// may be named after it.
func ValidateName(parent metav1.Object) field.ErrorList {
	var errs field.ErrorList
	for _, message := range validation.IsDNS1035Label(parent.GetName()) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), parent.GetName(), message))
	}
	return errs
}

// ValidateReplicas refuses a number of pods that is absent or negative.
func ValidateReplicas(path *field.Path, replicas *int32) field.ErrorList {
	if replicas == nil {
		return field.ErrorList{field.Required(path, "say how many pods to run")}
	}
	if *replicas < 0 {
		return field.ErrorList{field.Invalid(path, *replicas, "must be at least 0")}
	}
	return nil
}
