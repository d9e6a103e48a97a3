package observed

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxPairs is the number of labels or annotations that an object has after it was read, which are the first ones. The API server accepts
// 130,000 labels, which need 22 MiB as a map. A pod of a Job can have 141: 64 of podLabels, 64 of proxy.job.labels, and those of the operator and Kubernetes.
const maxPairs = 150

// stringMap has the labels or the annotations of an object, of which at most maxPairs are read.
type stringMap map[string]string

// UnmarshalJSONFrom reads the pairs. It makes the map when their number is known, because a map that grows needs a third of the time of a sync whose
// pods have 100 labels.
func (m *stringMap) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return jsonv2.UnmarshalDecode(decoder, (*map[string]string)(m)) // null, or an error that names the type of the value
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	var words [2 * maxPairs]string
	count := 0
	for decoder.PeekKind() != jsontext.KindEndObject {
		if count == len(words) {
			if err := decoder.SkipValue(); err != nil { // a key, or a value
				return err
			}
			continue
		}
		word, err := readString(decoder)
		if err != nil {
			return err
		}
		words[count] = word
		count++
	}
	pairs := make(map[string]string, count/2)
	for i := 0; i < count; i += 2 {
		pairs[words[i]] = words[i+1]
	}
	*m = pairs
	_, err := decoder.ReadToken()
	return err
}

func readString(decoder *jsontext.Decoder) (string, error) {
	if decoder.PeekKind() != jsontext.KindString {
		var text string
		err := jsonv2.UnmarshalDecode(decoder, &text) // null, or an error that names the type of the value
		return text, err
	}
	token, err := decoder.ReadToken() // takes half of the time of UnmarshalDecode
	return token.String(), err
}
