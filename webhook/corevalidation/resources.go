package corevalidation

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Resources validates the requests and limits of a container whose pod has no resourceClaims. It refuses names with the domain
// kubernetes.io, which no node has.
func Resources(path *field.Path, given *corev1.ResourceRequirements) field.ErrorList {
	var errs field.ErrorList
	if len(given.Claims) > 0 {
		errs = append(errs, field.Forbidden(path.Child("claims"), "these pods have no resourceClaims"))
	}
	for name, limit := range given.Limits {
		errs = append(errs, quantity(path.Child("limits").Key(string(name)), name, limit)...)
	}
	for name, request := range given.Requests {
		at := path.Child("requests").Key(string(name))
		errs = append(errs, quantity(at, name, request)...)
		limit, limited := given.Limits[name]
		switch {
		case !overcommits(name) && (!limited || request.Cmp(limit) != 0):
			errs = append(errs, field.Invalid(at, request.String(), "must be equal to the limit"))
		case limited && request.Cmp(limit) > 0:
			errs = append(errs, field.Invalid(at, request.String(), "must not exceed the limit of "+limit.String()))
		}
	}
	return Sorted(errs)
}

// quantity validates one request or limit. It refuses quantities above 64 bits, because Kubernetes misreads them.
func quantity(path *field.Path, name corev1.ResourceName, value resource.Quantity) field.ErrorList {
	switch {
	case value.Sign() < 0:
		return field.ErrorList{field.Invalid(path, value.String(), "must not be negative")}
	case value.CmpInt64(math.MaxInt64) > 0:
		// The value is omitted, because a Quantity formats 1000000000000000000000 as 1.
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, "must be less than 8Ei")}
	case overcommits(name):
		return nil
	case !isHugePages(name):
		errs := validate.ExtendedResourceName(context.Background(), operation.Operation{}, path, &name, nil)
		return append(errs, multiple(path, value, 1, "must be a whole number")...)
	}
	size, _ := resource.ParseQuantity(strings.TrimPrefix(string(name), corev1.ResourceHugePagesPrefix)) // 0 if it is invalid
	errs := invalid(path, name, validation.IsQualifiedName(string(name)))
	return append(errs, multiple(path, value, size.Value(), "must be a multiple of the page size in the name of the resource")...)
}

func multiple(path *field.Path, value resource.Quantity, unit int64, message string) field.ErrorList {
	if unit > 0 && value.CmpInt64(value.Value()) == 0 && value.Value()%unit == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value.String(), message)}
}

// overcommits reports whether the limit of a resource may be higher than the request. Other resources are huge pages, or those
// of device plugins.
func overcommits(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage
}

func isHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// HugePages refuses huge pages without cpu or memory. It is separate from [Resources], because a builder may add memory.
func HugePages(path *field.Path, given *corev1.ResourceRequirements) field.ErrorList {
	names := slices.AppendSeq(slices.Collect(maps.Keys(given.Limits)), maps.Keys(given.Requests))
	if slices.Contains(names, corev1.ResourceCPU) || slices.Contains(names, corev1.ResourceMemory) || !slices.ContainsFunc(names, isHugePages) {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, "huge pages require cpu or memory")}
}
