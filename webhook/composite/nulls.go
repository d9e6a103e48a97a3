package composite

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNulls is the number of fields that a message names.
const maxNulls = 10

// nullsOf returns the fields of a spec, which is valid JSON, that are null. The API server drops null unless the CRD has nullable for the field, so
// almost no spec has one.
func nullsOf(spec jsontext.Value) (nulls []string) {
	if !bytes.Contains(spec, []byte("null")) {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(spec), jsontext.AllowDuplicateNames(true))
	for len(nulls) < maxNulls {
		token, err := decoder.ReadToken()
		if err != nil {
			break
		}
		if token.Kind() != jsontext.KindNull {
			continue
		}
		in, _ := decoder.StackIndex(decoder.StackDepth()) // the API server refuses null in a list
		if in == jsontext.KindBeginObject {
			nulls = append(nulls, "spec."+dotted(decoder.StackPointer()))
		}
	}
	return nulls
}
