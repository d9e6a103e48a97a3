// Package corevalidation validates the Kubernetes types that parents borrow for their specs, with the rules by which the
// API server validates them in a child. Without it a parent is accepted, and a child of it is refused: at best its pods
// do not start, at worst a NetworkPolicy is missing.
//
// The rules are those of k8s.io/kubernetes, whose validation is not a library. test/manifests compares both.
//
// https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/validation.go
package corevalidation

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Sorted sorts errors that were found in a map. They become an Event, which is counted and not repeated only while its
// text stays the same.
func Sorted(errs field.ErrorList) field.ErrorList {
	slices.SortFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}

// OneOf refuses a value that is not one of these.
func OneOf[T ~string](path *field.Path, value T, values ...T) field.ErrorList {
	if slices.Contains(values, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, values)}
}

// invalid returns an error for each message about a value.
func invalid(path *field.Path, value any, messages []string) field.ErrorList {
	var errs field.ErrorList
	for _, message := range messages {
		errs = append(errs, field.Invalid(path, value, message))
	}
	return errs
}
