package observed

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxPairs is the number of labels or annotations that an object has after it was read, which are the first ones. The API server accepts
// 130,000 labels, which need 22 MiB as a map. Real objects have fewer than fifty.
const maxPairs = 200

// stringMap has the labels or the annotations of an object, of which at most maxPairs are read.
type stringMap map[string]string

// UnmarshalJSONFrom reads the pairs.
func (m *stringMap) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return jsonv2.UnmarshalDecode(decoder, (*map[string]string)(m)) // null, or an error that names the type of the value
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	pairs := map[string]string{}
	var key, value string
	for decoder.PeekKind() != jsontext.KindEndObject {
		if len(pairs) == maxPairs {
			if err := decoder.SkipValue(); err != nil { // a key, or a value
				return err
			}
			continue
		}
		if err := jsonv2.UnmarshalDecode(decoder, &key); err != nil {
			return err
		}
		if err := jsonv2.UnmarshalDecode(decoder, &value); err != nil {
			return err
		}
		pairs[key] = value
	}
	*m = pairs
	_, err := decoder.ReadToken()
	return err
}
