package composite

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNulls is the number of fields that a message names.
const maxNulls = 10

// nullsOf returns the fields of the spec of a parent, which is valid JSON, that are null. The API server drops null unless the CRD has nullable for
// the field, so almost no parent has one.
func nullsOf(parent jsontext.Value) (nulls []string) {
	if !bytes.Contains(parent, []byte("null")) {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(parent), jsontext.AllowDuplicateNames(true))
	for len(nulls) < maxNulls {
		token, err := decoder.ReadToken()
		if err != nil {
			break
		}
		if token.Kind() != jsontext.KindNull {
			continue
		}
		in, _ := decoder.StackIndex(decoder.StackDepth()) // the API server refuses null in a list
		if path := string(decoder.StackPointer()); in == jsontext.KindBeginObject && strings.HasPrefix(path, "/spec/") {
			nulls = append(nulls, strings.ReplaceAll(path[1:], "/", "."))
		}
	}
	return nulls
}
