package composite

import (
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// ParentType is a pointer to a parent's API type T.
type ParentType[T any] interface {
	*T
	metav1.Object
	runtime.Object
}

// required is a member that has to be in the request and must be an object: an observation that lacks it is not one.
type required[T any] struct {
	value   T
	present bool
}

func (r *required[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return notAnObject(decoder)
	}
	r.present = true
	return json.UnmarshalDecode(decoder, &r.value)
}

type syncRequest[T, C, R any] struct {
	Parent     required[T] `json:"parent"`
	Children   required[C] `json:"children"`
	Related    required[R] `json:"related"`
	Finalizing bool        `json:"finalizing"`
}

type customizeRequest[T any] struct {
	Controller required[compositeController] `json:"controller"`
	Parent     required[T]                   `json:"parent"`
}

// compositeController is the part of the CompositeController that changes how a customize hook must answer.
type compositeController struct {
	Spec struct {
		Hooks struct {
			Customize struct {
				Version string `json:"version"`
			} `json:"customize"`
		} `json:"hooks"`
	} `json:"spec"`
}

// decode reads exactly one JSON value from the body as it comes, without a copy of it in memory. Duplicate names, bad
// UTF-8, names in another case and anything after the value are errors or unknown, never a silent zero.
func decode(body io.Reader, request any) error {
	if err := json.UnmarshalRead(tokenReader{body}, request); err != nil {
		return explain(err)
	}
	return nil
}

// checkParent refuses an object that is missing or is not a kind of parent that this hook is for.
func checkParent[P ParentType[T], T any](parent P, present bool, kind schema.GroupVersionKind) error {
	if !present {
		return refuse("request has no parent")
	}
	apiVersion, wanted := kind.ToAPIVersionAndKind()
	observed := parent.GetObjectKind().GroupVersionKind()
	if observed != kind {
		apiVersionObserved, kindObserved := observed.ToAPIVersionAndKind()
		return refuse("parent is a %q of %q; this hook is for a %s of %s", kindObserved, apiVersionObserved, wanted, apiVersion)
	}
	if parent.GetName() == "" {
		return refuse("parent has no metadata.name")
	}
	return nil
}

// checkObserved refuses an observation with a hole in it, which would read as "there is no such child".
func checkObserved[T, C, R any](request *syncRequest[T, C, R], hook Hook) error {
	if !request.Children.present {
		return refuse("request has no children")
	}
	if missing := without(missingGroups(&request.Children.value, hook.Children), hook.Optional); len(missing) > 0 {
		return refuse("children has no %s: list that kind under childResources of the CompositeController", missing[0])
	}
	if !request.Related.present {
		return refuse("request has no related")
	}
	if missing := missingGroups(&request.Related.value, hook.Related); len(missing) > 0 {
		return refuse("related has no %s: name the customize hook in the CompositeController", missing[0])
	}
	return nil
}

// without returns the keys that are not among others.
func without(keys, others []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(others, key) })
}

func namespacedName(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}
