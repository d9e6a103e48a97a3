package composite

import (
	"errors"
	"fmt"
	"regexp"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/api/resource"
)

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

// unmarshalMetadata decodes what identifies a parent, and whether it is being deleted.
func unmarshalMetadata[T any](decoder *jsontext.Decoder, whole jsontext.Value, parent *T) error {
	var part struct {
		APIVersion jsontext.Value `json:"apiVersion,omitzero"`
		Kind       jsontext.Value `json:"kind,omitzero"`
		Metadata   struct {
			Name              jsontext.Value `json:"name,omitzero"`
			Namespace         jsontext.Value `json:"namespace,omitzero"`
			UID               jsontext.Value `json:"uid,omitzero"`
			Generation        jsontext.Value `json:"generation,omitzero"`
			CreationTimestamp jsontext.Value `json:"creationTimestamp,omitzero"`
			DeletionTimestamp jsontext.Value `json:"deletionTimestamp,omitzero"`
			Finalizers        jsontext.Value `json:"finalizers,omitzero"`
		} `json:"metadata"`
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
		return &ParentError{fmt.Errorf("the object has %d values in its lists and fields, but at most %d are allowed", values, maxParentValues)}
	}
	if size := len(parts.Spec); size > MaxSpecBytes {
		return &ParentError{fmt.Errorf("spec has %d bytes as JSON, but at most %d are allowed", size, MaxSpecBytes)}
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

// identifiedMember is the parent in a request for related objects. If it is too large, or a value cannot be read, such as a quantity of a billion
// digits, it has neither spec nor status: a sync refuses the parent anyway, and Metacontroller would call a customize hook that refuses it again at each
// event.
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
	if checkParentSize(whole) == nil && unmarshalParent(decoder, whole, &m.value) == nil {
		return nil
	}
	m.value = *new(T)
	return unmarshalMetadata(decoder, whole, &m.value)
}
