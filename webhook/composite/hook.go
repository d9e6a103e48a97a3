package composite

import (
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Sync returns a sync hook that calls a pure function. C and R are structs of [Group] fields: what the function observes.
func Sync[P ParentType[T], T, C, R, S any](sync func(Request[P, C, R]) (Desired[S], error)) Hook {
	return newHook(sync, false)
}

// Finalize returns a finalize hook that calls a pure function. Once the parent is being deleted, Metacontroller calls the
// finalize hook instead of the sync hook until the response is Finalized.
func Finalize[P ParentType[T], T, C, R, S any](finalize func(Request[P, C, R]) (Desired[S], error)) Hook {
	return newHook(finalize, true)
}

func newHook[P ParentType[T], T, C, R, S any](desire func(Request[P, C, R]) (Desired[S], error), finalizing bool) Hook {
	var hook Hook
	hook.Children, hook.optional = groupKeys[C]()
	hook.Related, _ = groupKeys[R]()
	hook.handle = func(kind schema.GroupVersionKind, body io.Reader, now metav1.Time) (Response, error) {
		var received syncRequest[T, C, R]
		received.Parent.waiter, _ = body.(Waiter)
		err := decode(body, &received)
		parent := P(&received.Parent.value)
		response := Response{Parent: namespacedName(parent)}
		if err != nil {
			return response, err
		}
		if err := checkParent(parent, received.Parent.present, kind, received.Controller.present); err != nil {
			return response, err
		}
		if received.Parent.tooLarge != nil && !finalizing {
			return response, received.Parent.tooLarge
		}
		if err := checkObserved(&received, hook, finalizing); err != nil {
			return response, err
		}
		if err := checkObjects(parent, &received.Children.value, &received.Related.value); err != nil {
			return response, err
		}
		desired, err := desire(Request[P, C, R]{
			Parent:     parent,
			Children:   received.Children.value,
			Related:    received.Related.value,
			Finalizing: finalizing,
			Nulls:      received.Parent.nulls,
			Now:        now,
		})
		if err != nil {
			return response, err
		}
		listed := without(hook.Children, missingGroups(&received.Children.value))
		response.Body, err = encodeDesired(desired, parent, listed, finalizing)
		return response, encodingError(response, err)
	}
	return hook
}

// Customize returns a customize hook that calls a function for the related objects of a parent.
//
// Metacontroller caches the response by the parent's UID and generation for up to 20 minutes. The function therefore gets a parent without
// labels, annotations and status, which change without the generation.
func Customize[P ParentType[T], T any](relate func(P) []RelatedRule) Hook {
	return Hook{handle: func(kind schema.GroupVersionKind, body io.Reader, _ metav1.Time) (Response, error) {
		var request customizeRequest[T]
		err := decode(body, &request)
		parent := P(&request.Parent.value)
		response := Response{Parent: namespacedName(parent)}
		if err != nil {
			return response, err
		}
		if err := checkParent(parent, request.Parent.present, kind, request.Controller.present); err != nil {
			return response, err
		}
		response.Body, err = encodeRelated(relate(parent))
		return response, encodingError(response, err)
	}}
}

func encodingError(response Response, err error) error {
	if err != nil {
		return fmt.Errorf("encoding the response for %s: %w", response.Parent, err)
	}
	return nil
}
