package corevalidation

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxResources is the number of limits, and of requests, of a container. The API server has no limit, and each one costs time in every
// container that has them.
const maxResources = 64

// Resources refuses requests and limits that are negative or above 64 bits: the memory of a cache follows from them, and a Quantity formats
// 1000000000000000000000 as 1. It refuses more than 64 of each, and names with which Kubernetes refuses a workload. The API server has more rules.
func Resources(path *field.Path, given *corev1.ResourceRequirements) field.ErrorList {
	errs := quantities(path.Child("limits"), given.Limits)
	return Sorted(append(errs, quantities(path.Child("requests"), given.Requests)...))
}

func quantities(path *field.Path, list corev1.ResourceList) (errs field.ErrorList) {
	if len(list) > maxResources {
		return field.ErrorList{field.TooMany(path, len(list), maxResources)}
	}
	for name, value := range list {
		if problems := validation.IsQualifiedName(string(name)); len(problems) > 0 {
			errs = append(errs, field.Invalid(path, string(name), problems[0]))
			continue
		}
		switch at := path.Key(string(name)); {
		case value.Sign() < 0:
			errs = append(errs, field.Invalid(at, value.String(), "must not be negative"))
		case value.CmpInt64(math.MaxInt64) > 0:
			errs = append(errs, field.Invalid(at, field.OmitValueType{}, "must be less than 8Ei"))
		}
	}
	return errs
}
