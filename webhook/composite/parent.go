package composite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/text"
)

// parentMember is the member of a request with the parent, whose parts are limited: rules run for each entry of its lists, and children, errors and
// responses have copies of its texts. A sync refuses a parent whose spec is too large. Metacontroller calls a customize hook that has refused a parent again at
// each event of any related object, and a finalize hook that refuses one keeps it from being deleted.
type parentMember[T any] struct {
	member[T]
	waiter   Waiter
	tooLarge error
	nulls    []string
}

func (p *parentMember[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	before := decoder.InputOffset()
	parts, err := readParent(decoder, p.present, p.waiter)
	if err != nil {
		return err
	}
	p.present, p.tooLarge = true, parts.limit()
	if size := decoder.InputOffset() - before; size > maxParentBytes {
		p.tooLarge = &ParentError{fmt.Errorf("the resource has %d bytes as JSON, but at most %d are allowed", size, maxParentBytes)}
	}
	p.nulls = nullsOf(parts.Spec)
	return parts.unmarshal(decoder, &p.value)
}

// DecodeParent returns a parent as hooks see it, and the error that they would return.
func DecodeParent[T any](object []byte) (*T, error) {
	var request struct {
		Parent parentMember[T] `json:"parent"`
	}
	body := io.MultiReader(strings.NewReader(`{"parent":`), bytes.NewReader(object), strings.NewReader("}"))
	if err := decode(body, &request); err != nil {
		return nil, err
	}
	return &request.Parent.value, request.Parent.tooLarge
}

// parentParts are the parts of a parent that hooks read. Of the metadata they are those that only the API server writes, and a finalizer: labels,
// annotations and finalizers of any number cost nothing.
type parentParts struct {
	APIVersion jsontext.Value `json:"apiVersion,omitzero"`
	Kind       jsontext.Value `json:"kind,omitzero"`
	Metadata   parentMetadata `json:"metadata"`
	Spec       jsontext.Value `json:"spec,omitzero"`
	Status     jsontext.Value `json:"status,omitzero"`
}

type parentMetadata struct {
	Name              jsontext.Value `json:"name,omitzero"`
	Namespace         jsontext.Value `json:"namespace,omitzero"`
	UID               jsontext.Value `json:"uid,omitzero"`
	Generation        jsontext.Value `json:"generation,omitzero"`
	CreationTimestamp jsontext.Value `json:"creationTimestamp,omitzero"`
	DeletionTimestamp jsontext.Value `json:"deletionTimestamp,omitzero"`
	Finalizers        jsontext.Value `json:"finalizers,omitzero"`
	ManagedFields     edits          `json:"managedFields,omitempty"`

	waiter Waiter
}

// UnmarshalJSONFrom reads the metadata, and waits until the rest of the request may be read.
func (m *parentMetadata) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	type fields parentMetadata
	if err := jsonv2.UnmarshalDecode(decoder, (*fields)(m)); err != nil || m.waiter == nil {
		return err
	}
	if err := m.waiter.Wait(string(m.Namespace)); err != nil {
		return &ReadError{Err: err}
	}
	return nil
}

func readParent(decoder *jsontext.Decoder, present bool, waiter Waiter) (parts parentParts, err error) {
	if err := checkObject(decoder, present); err != nil {
		return parts, err
	}
	parts.Metadata.waiter = waiter
	return parts, jsonv2.UnmarshalDecode(decoder, &parts)
}

// edits are the entries of managedFields without the fields, which can be nested 10,000 levels deep: each level takes stack where it is decoded as a
// part of a value.
type edits []edit

type edit struct {
	Subresource jsontext.Value `json:"subresource,omitzero"`
	Time        jsontext.Value `json:"time,omitzero"`
}

// UnmarshalJSONFrom reads the entries; none if there are too many.
func (e *edits) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginArray {
		return decoder.SkipValue()
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	var entries edits
	for decoder.PeekKind() != jsontext.KindEndArray {
		if len(entries) > maxEdits || decoder.PeekKind() != jsontext.KindBeginObject {
			if err := decoder.SkipValue(); err != nil {
				return err
			}
			continue
		}
		entries = append(entries, edit{})
		if err := jsonv2.UnmarshalDecode(decoder, &entries[len(entries)-1]); err != nil {
			return err
		}
	}
	if len(entries) <= maxEdits {
		*e = entries
	}
	_, err := decoder.ReadToken()
	return err
}

// unmarshal decodes the parts.
func (p *parentParts) unmarshal(decoder *jsontext.Decoder, parent any) error {
	whole, err := jsonv2.Marshal(p, jsontext.AllowDuplicateNames(true))
	if err != nil {
		return err
	}
	return locate(decoder, jsonv2.Unmarshal(whole, parent, jsontext.AllowDuplicateNames(true), scalars))
}

// locate makes the position of an error in the value that the decoder has read last its position in the request.
func locate(decoder *jsontext.Decoder, err error) error {
	if semantic, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		semantic.JSONPointer = decoder.StackPointer() + semantic.JSONPointer
	}
	return err
}

// quantityText matches quantities of a size that can be computed: the API server accepts 1e999999999, which has a billion digits.
var quantityText = regexp.MustCompile(`^(null|"?[+-]?[0-9.]{1,30}([A-Za-z]{0,2}|[eE][+-]?[0-9]{1,2})"?)$`)

var scalars = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
	jsonv2.UnmarshalFunc(func(value []byte, quantity *resource.Quantity) error {
		if !quantityText.Match(value) {
			return resource.ErrFormatWrong
		}
		return quantity.UnmarshalJSON(value)
	}),
	jsonv2.UnmarshalFunc(unmarshalTime),
))

// unmarshalTime reads a time. Times of the years 0, 1 and 9999 become 1970. In UTC some of them are of other years, which the API server refuses, and the first
// one of the year 1 is null. A response with such a time could never be stored, and would be given again and again.
func unmarshalTime(value []byte, t *metav1.Time) error {
	if err := t.UnmarshalJSON(value); err != nil {
		return err
	}
	if year := t.UTC().Year(); (year < 2 || year > 9998) && string(value) != "null" {
		*t = metav1.Unix(0, 0)
	}
	return nil
}

// identifiedMember is the parent in a request for related objects: without its status, and without a spec that is too large or has a value that cannot be
// read, such as a quantity of a billion digits. A sync refuses such a spec anyway. Metacontroller caches the response for the generation, which labels
// and status do not change, so no other part of the parent may matter.
type identifiedMember[T any] struct{ member[T] }

func (m *identifiedMember[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	parts, err := readParent(decoder, m.present, nil)
	if err != nil {
		return err
	}
	m.present = true
	_ = parts.limit()
	parts.Status, parts.Metadata.ManagedFields = nil, nil
	if parts.unmarshal(decoder, &m.value) == nil {
		return nil
	}
	m.value, parts.Spec = *new(T), nil
	return parts.unmarshal(decoder, &m.value)
}

// countValues returns the number of values in a valid JSON text that others follow, which is about the number of all.
func countValues(document []byte) int { return text.CountInJSON(document, ",") }
