package composite

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/example/memcached-operator/webhook/text"
)

// ParentType is a pointer to a parent's API type T.
type ParentType[T any] interface {
	*T
	metav1.Object
	runtime.Object
}

// member is a member of a request: absent or an object, never null.
type member[T any] struct {
	value   T
	present bool
}

func (r *member[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return notAnObject(decoder)
	}
	r.present = true
	return jsonv2.UnmarshalDecode(decoder, &r.value)
}

// parentMember is the member of a request with the parent, whose size is limited in a sync: rules run for each entry of its lists, and children,
// errors and responses have copies of its texts. Of a parent that is too large, only the metadata are decoded. Metacontroller calls a customize hook that has refused a
// parent again at each event of any related object, and a finalize hook that refuses one keeps it from being deleted.
type parentMember[T any] struct {
	member[T]
	tooLarge error
	nulls    []string
}

const (
	// maxParentValues is the number of values that a parent may have beside its status, which lists all pods. Real ones have hundreds.
	maxParentValues = 10_000
	// MaxSpecBytes is the size that spec may have as JSON. Real ones have at most 20 kB. In test/faults, the memory for ten such
	// parents at the same time peaks at 29 MiB, and the slowest takes 0.5 s; with 256 KiB 50 MiB and 1.1 s.
	MaxSpecBytes = 64 << 10
)

func (p *parentMember[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return notAnObject(decoder)
	}
	whole, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if p.present, p.tooLarge = true, checkParentSize(whole); p.tooLarge != nil {
		return unmarshalMetadata(decoder, whole, &p.value)
	}
	p.nulls = nullsOf(whole)
	return unmarshalParent(decoder, whole, &p.value)
}

// unmarshalMetadata decodes a parent without its spec and its status.
func unmarshalMetadata[T any](decoder *jsontext.Decoder, whole jsontext.Value, parent *T) error {
	var part struct {
		APIVersion jsontext.Value `json:"apiVersion,omitzero"`
		Kind       jsontext.Value `json:"kind,omitzero"`
		Metadata   jsontext.Value `json:"metadata,omitzero"`
	}
	if err := jsonv2.Unmarshal(whole, &part, jsontext.AllowDuplicateNames(true)); err != nil {
		return err
	}
	whole, err := jsonv2.Marshal(part)
	if err != nil {
		return err
	}
	return unmarshalParent(decoder, whole, parent)
}

// unmarshalParent decodes the value that the decoder has read last. Errors have their position in the request.
func unmarshalParent[T any](decoder *jsontext.Decoder, whole jsontext.Value, parent *T) error {
	err := jsonv2.Unmarshal(whole, parent, jsontext.AllowDuplicateNames(true), quantities) // ReadValue refuses them
	if semantic, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		semantic.JSONPointer = decoder.StackPointer() + semantic.JSONPointer
	}
	return err
}

// quantityText matches quantities of a size that can be computed: the API server accepts 1e999999999, which has a billion digits.
var quantityText = regexp.MustCompile(`^(null|"?[+-]?[0-9.]{1,30}([A-Za-z]{0,2}|[eE][+-]?[0-9]{1,2})"?)$`)

var quantities = jsonv2.WithUnmarshalers(jsonv2.UnmarshalFunc(func(value []byte, quantity *resource.Quantity) error {
	if !quantityText.Match(value) {
		return resource.ErrFormatWrong
	}
	return quantity.UnmarshalJSON(value)
}))

// checkParentSize refuses a parent that is too large without its status. Most are small in whole.
func checkParentSize(whole jsontext.Value) error {
	values := countValues(whole)
	if len(whole) <= MaxSpecBytes && values <= maxParentValues {
		return nil
	}
	var parts struct {
		Spec   jsontext.Value `json:"spec"`
		Status jsontext.Value `json:"status"`
	}
	if err := jsonv2.Unmarshal(whole, &parts, jsontext.AllowDuplicateNames(true)); err != nil {
		return err
	}
	if values -= countValues(parts.Status); values > maxParentValues {
		return &ParentError{fmt.Errorf("the object has %d values in its lists and fields, more than %d", values, maxParentValues)}
	}
	if size := len(parts.Spec); size > MaxSpecBytes {
		return &ParentError{fmt.Errorf("spec has %d bytes as JSON, more than the limit of %d", size, MaxSpecBytes)}
	}
	return nil
}

// countValues returns the number of values in a valid JSON text that others follow, which is about the number of all.
func countValues(document []byte) int {
	count, inString := 0, false
	for i := 0; i < len(document); i++ {
		switch character := document[i]; {
		case character == '"':
			inString = !inString
		case inString && character == '\\':
			i++
		case !inString && character == ',':
			count++
		}
	}
	return count
}

type syncRequest[T, C, R any] struct {
	Controller member[compositeController] `json:"controller"`
	Parent     parentMember[T]             `json:"parent"`
	Children   member[C]                   `json:"children"`
	Related    member[R]                   `json:"related"`
	Finalizing bool                        `json:"finalizing"`
}

type customizeRequest[T any] struct {
	Controller member[jsontext.Value] `json:"controller"`
	Parent     identifiedMember[T]    `json:"parent"`
}

// identifiedMember is the parent in a request for related objects. If a value cannot be read, such as a quantity of a billion digits, it has neither
// spec nor status: a sync refuses the parent anyway, and Metacontroller would call a customize hook that refuses it again at each event.
type identifiedMember[T any] struct{ member[T] }

func (m *identifiedMember[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return notAnObject(decoder)
	}
	whole, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	m.present = true
	if unmarshalParent(decoder, whole, &m.value) == nil {
		return nil
	}
	m.value = *new(T)
	return unmarshalMetadata(decoder, whole, &m.value)
}

// compositeController is the part of the CompositeController that shows what a request must have.
type compositeController struct {
	Metadata jsontext.Value `json:"metadata"` // read as one value, which is faster than token by token
	Spec     struct {
		ChildResources []struct {
			APIVersion string `json:"apiVersion"`
			Resource   string `json:"resource"`
		} `json:"childResources"`
	} `json:"spec"`
}

// decode reads exactly one JSON value from the body as a stream. It refuses duplicate names, invalid UTF-8 and anything after
// the value. Names match case-sensitively.
func decode(body io.Reader, request any) error {
	if err := jsonv2.UnmarshalRead(tokenReader{body}, request); err != nil {
		return explain(err)
	}
	return nil
}

// checkParent refuses a missing parent, a parent of another kind and a parent without a name. Only a person's request may omit the namespace.
func checkParent[P ParentType[T], T any](parent P, present bool, kind schema.GroupVersionKind, fromMetacontroller bool) error {
	if !present {
		return refuse("request has no parent")
	}
	if observed := parent.GetObjectKind().GroupVersionKind(); observed != kind {
		return refuse("parent is a %q of %q, but this hook is for %s of %s", text.Value(observed.Kind), text.Value(observed.GroupVersion().String()), kind.Kind, kind.GroupVersion())
	}
	if parent.GetName() == "" {
		return refuse("parent has no metadata.name")
	}
	if fromMetacontroller && parent.GetNamespace() == "" {
		return refuse("parent has no metadata.namespace")
	}
	if namespace := parent.GetNamespace(); namespace != "" && len(validation.IsDNS1123Label(namespace)) > 0 {
		return refuse("parent has the metadata.namespace %q, which no namespace can have as its name", text.Value(namespace))
	}
	return nil
}

// checkObserved refuses an incomplete observed state, where a missing group would mean that there is no such child, and a
// request for the other one of the sync and finalize hooks.
//
// Metacontroller always sends the controller. A person wrote a request without it, so it may be incomplete: without children,
// every kind counts as listed and empty, and without related, no related object is observed.
func checkObserved[T, C, R any](request *syncRequest[T, C, R], hook Hook, finalizing bool) error {
	if request.Finalizing != finalizing {
		return refuse("finalizing is %t, but this hook is for requests where it is %t", request.Finalizing, finalizing)
	}
	if !request.Controller.present && !request.Children.present {
		listAll(&request.Children.value)
		request.Children.present = true
	}
	if !request.Children.present {
		return refuse("request has no children")
	}
	for _, key := range missingGroups(&request.Children.value) {
		if err := checkAbsent(key, slices.Contains(hook.optional, key), &request.Controller.value); err != nil {
			return err
		}
	}
	if !request.Controller.present {
		return nil
	}
	if !request.Related.present {
		return refuse("request has no related")
	}
	if missing := missingGroups(&request.Related.value); len(missing) > 0 {
		return refuse("related has no %s: add the customize hook to the CompositeController", missing[0])
	}
	return nil
}

// checkAbsent refuses children without the group of the key, unless the group is optional and the CompositeController does not
// list the kind. Metacontroller sends a group, possibly empty, for each kind that the CompositeController lists.
func checkAbsent(key string, optional bool, controller *compositeController) error {
	if !optional {
		return refuse("children has no %s: add the kind to childResources of the CompositeController", key)
	}
	if controller.lists(key) {
		return refuse("children has no %s, although childResources of the CompositeController list the kind", key)
	}
	return nil
}

// lists reports whether childResources contain the kind of a group. The key of a group contains the kind, not the resource.
func (c *compositeController) lists(key string) bool {
	kind, apiVersion, _ := strings.Cut(key, ".")
	plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(apiVersion, kind))
	for _, child := range c.Spec.ChildResources {
		if child.APIVersion == apiVersion && child.Resource == plural.Resource {
			return true
		}
	}
	return false
}

// without returns the keys that others do not contain.
func without(keys, others []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(others, key) })
}

func namespacedName(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}
