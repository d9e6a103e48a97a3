package observed

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxEntries is the number of entries that a list has after it was read, which are the first ones. Rules look into one list for each entry
// of another, and the API server accepts tens of thousands in the status of a pod. Real pods have fewer than twenty.
const maxEntries = 100

// list is a list of which at most maxEntries are read.
type list[T any] []T

// UnmarshalJSONFrom reads the entries.
func (l *list[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	entries, err := readList(decoder, func(*T) bool { return true })
	*l = entries
	return err
}

// readList reads the entries to keep of a list.
func readList[T any](decoder *jsontext.Decoder, keeps func(*T) bool) (entries []T, err error) {
	if decoder.PeekKind() != jsontext.KindBeginArray {
		return nil, jsonv2.UnmarshalDecode(decoder, new([]T)) // null, or an error that names the type of the value
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	entries = make([]T, 0, 2)
	for decoder.PeekKind() != jsontext.KindEndArray {
		if len(entries) == maxEntries {
			if err := decoder.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		var none T
		entries = append(entries, none)
		last := &entries[len(entries)-1]
		if err := jsonv2.UnmarshalDecode(decoder, last); err != nil {
			return nil, err
		}
		if !keeps(last) {
			entries = entries[:len(entries)-1]
		}
	}
	_, err = decoder.ReadToken()
	return entries, err
}
