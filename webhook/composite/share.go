package composite

import (
	"bytes"
	"errors"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// sharedMaps gives an object of a group the map of the object before it where both have the same members. The pods of one
// template have the same labels, so a request of a thousand builds them once, not a thousand times.
//
// One map is remembered and not all: where every pod has a label of its own, as those of a StatefulSet, nothing is gained
// and nothing is kept.
type sharedMaps struct {
	unmarshalers *json.Unmarshalers
	text         jsontext.Value
	members      map[string]string
}

// sharedMapsPool saves the decoder from learning anew for each group which types an Unmarshalers is for.
var sharedMapsPool = sync.Pool{New: func() any {
	shared := &sharedMaps{}
	shared.unmarshalers = json.UnmarshalFromFunc(shared.unmarshal)
	return shared
}}

// forget makes ready for a group of another request.
func (s *sharedMaps) forget() { s.text, s.members = s.text[:0], nil }

func (s *sharedMaps) unmarshal(decoder *jsontext.Decoder, members *map[string]string) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if bytes.Equal(value, s.text) {
		*members = s.members
		return nil
	}
	err = json.Unmarshal(value, members)
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		semantic.JSONPointer = decoder.StackPointer() + semantic.JSONPointer // where it is in the request
	}
	if err != nil {
		return err
	}
	s.text, s.members = append(s.text[:0], value...), *members
	return nil
}
