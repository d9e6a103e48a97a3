package composite

import (
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/api/meta"
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
	Controller required[compositeController] `json:"controller"`
	Parent     required[T]                   `json:"parent"`
	Children   required[C]                   `json:"children"`
	Related    required[R]                   `json:"related"`
	Finalizing bool                          `json:"finalizing"`
}

type customizeRequest[T any] struct {
	Controller required[compositeController] `json:"controller"`
	Parent     required[T]                   `json:"parent"`
}

// compositeController is the part of the CompositeController that changes how a hook must answer.
type compositeController struct {
	Spec struct {
		ChildResources []struct {
			APIVersion string `json:"apiVersion"`
			Resource   string `json:"resource"`
		} `json:"childResources"`
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
	for _, key := range missingGroups(&request.Children.value) {
		if err := checkAbsent(key, slices.Contains(hook.Optional, key), &request.Controller); err != nil {
			return err
		}
	}
	if !request.Related.present {
		return refuse("request has no related")
	}
	if missing := without(missingGroups(&request.Related.value), hook.OptionalRelated); len(missing) > 0 {
		return refuse("related has no %s: name the customize hook in the CompositeController", missing[0])
	}
	return nil
}

// checkAbsent refuses that children lacks the group of that key, unless it is optional and the CompositeController says
// itself that it does not list the kind: Metacontroller sends a group, be it empty, for each kind that it lists.
func checkAbsent(key string, optional bool, controller *required[compositeController]) error {
	if !optional {
		return refuse("children has no %s: list that kind under childResources of the CompositeController", key)
	}
	if !controller.present {
		return refuse("children has no %s, and request has no controller, which would say whether that kind is listed", key)
	}
	if controller.value.lists(key) {
		return refuse("children has no %s, although childResources of the CompositeController lists that kind", key)
	}
	return nil
}

// lists is true where childResources has the kind of a group, which is named after the kind and not after the resource.
func (c *compositeController) lists(key string) bool {
	kind, apiVersion, _ := strings.Cut(key, ".")
	resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(apiVersion, kind))
	for _, child := range c.Spec.ChildResources {
		if child.APIVersion == apiVersion && child.Resource == resource.Resource {
			return true
		}
	}
	return false
}

// without returns the keys that are not among others.
func without(keys, others []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(others, key) })
}

func namespacedName(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}
