package composite

import (
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Sync makes a sync hook of a pure function. C and R are structs of [Group] fields: what the function observes.
func Sync[P ParentType[T], T, C, R, S any](sync func(Observed[P, C, R]) (Desired[S], error)) Hook {
	return newHook(sync, false)
}

// Finalize makes a finalize hook of a pure function: Metacontroller calls it instead of the sync hook once the parent
// is going, until it answers Finalized.
func Finalize[P ParentType[T], T, C, R, S any](finalize func(Observed[P, C, R]) (Desired[S], error)) Hook {
	return newHook(finalize, true)
}

func newHook[P ParentType[T], T, C, R, S any](desire func(Observed[P, C, R]) (Desired[S], error), finalizing bool) Hook {
	var hook Hook
	hook.Children, hook.Optional = groupKeys[C]()
	hook.Related, hook.OptionalRelated = groupKeys[R]()
	hook.handle = func(kind schema.GroupVersionKind, body io.Reader, now metav1.Time) (Response, error) {
		var request syncRequest[T, C, R]
		err := decode(body, &request)
		parent := P(&request.Parent.value)
		response := Response{Parent: namespacedName(parent)}
		if err != nil {
			return response, err
		}
		if err := checkParent(parent, request.Parent.present, kind); err != nil {
			return response, err
		}
		if err := checkObserved(&request, hook); err != nil {
			return response, err
		}
		if request.Finalizing != finalizing {
			return response, refuse("finalizing is %t, which this hook is not for", request.Finalizing)
		}
		observed := without(hook.Children, missingGroups(&request.Children.value))
		desired, err := desire(Observed[P, C, R]{
			Parent:     parent,
			Children:   request.Children.value,
			Related:    request.Related.value,
			Finalizing: request.Finalizing,
			Now:        now,
		})
		if err != nil {
			return response, err
		}
		if response.Body, err = encodeDesired(desired, parent, observed, finalizing); err != nil {
			return response, fmt.Errorf("answering for %s: %w", response.Parent, err)
		}
		return response, nil
	}
	return hook
}

// Customize makes a customize hook of a function that says which related objects a parent needs.
//
// Metacontroller caches the answer by the parent's UID and generation, so it may depend on the parent's spec and
// identity only, not on labels or annotations.
func Customize[P ParentType[T], T any](relate func(P) []RelatedRule) Hook {
	return Hook{handle: func(kind schema.GroupVersionKind, body io.Reader, _ metav1.Time) (Response, error) {
		var request customizeRequest[T]
		err := decode(body, &request)
		parent := P(&request.Parent.value)
		response := Response{Parent: namespacedName(parent)}
		if err != nil {
			return response, err
		}
		if err := checkParent(parent, request.Parent.present, kind); err != nil {
			return response, err
		}
		if !request.Controller.present {
			return response, refuse("request has no controller")
		}
		version := request.Controller.value.Spec.Hooks.Customize.Version
		if response.Body, err = encodeRelated(relate(parent), parent.GetNamespace(), version); err != nil {
			return response, fmt.Errorf("answering for %s: %w", response.Parent, err)
		}
		return response, nil
	}}
}
