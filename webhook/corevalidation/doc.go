// Package corevalidation validates fields with core Kubernetes types in the specs of parents as the API server validates them in children,
// if a child that the API server refuses would fail open, or if names and sizes follow from the value. The API server refuses other values
// in the child, and the parent is then Degraded.
//
// The rules are those of k8s.io/kubernetes, whose validation is not available as a library. test/manifests compares both.
//
// https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/validation.go
package corevalidation

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/text"
)

// Sorted returns errors that were found in a map in a stable order. They become a condition message, and each change of the
// message is a write of the status.
func Sorted(errs field.ErrorList) field.ErrorList {
	texts := make(map[*field.Error]string, len(errs))
	for _, err := range shortened(errs) {
		texts[err] = err.Error()
	}
	slices.SortFunc(errs, func(a, b *field.Error) int { return strings.Compare(texts[a], texts[b]) })
	return errs
}

// MaxErrors is the number of errors that a message names. A list can have thousands of invalid entries.
const MaxErrors = 10

// Summary returns the first errors as one; nil if there is none.
func Summary(errs field.ErrorList) error {
	if len(errs) <= MaxErrors {
		return shortened(errs).ToAggregate()
	}
	return fmt.Errorf("%w, and %d more", shortened(errs[:MaxErrors]).ToAggregate(), len(errs)-MaxErrors)
}

// shortened shortens the texts of users in errors, whose messages have several copies of them.
func shortened(errs field.ErrorList) field.ErrorList {
	for _, err := range errs {
		err.Field = text.Value(err.Field)
		if value := reflect.ValueOf(err.BadValue); value.Kind() == reflect.String {
			err.BadValue = text.Value(value.String())
		}
	}
	return errs
}

// OneOf returns an error for a value that is not one of the allowed values.
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
