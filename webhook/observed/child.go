package observed

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/example/memcached-operator/webhook/text"
)

// Child is an observed child whose status no rule reads.
type Child struct {
	ChildMeta `json:"metadata"`
	// Spec remains JSON, because rules only compare it with the desired spec.
	Spec specJSON `json:"spec"`
}

// SpecJSON returns the observed spec.
func (c *Child) SpecJSON() jsontext.Value { return jsontext.Value(c.Spec) }

// specJSON is a spec that remains JSON.
type specJSON jsontext.Value

// UnmarshalJSONFrom reads a spec token by token. As one value, each level would take stack: the API server stores 10,000 levels in the managedFields of a
// pod template, whose stack has 8 MiB for each of Metacontroller's workers.
func (s *specJSON) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var value bytes.Buffer
	encoder := jsontext.NewEncoder(&value, jsontext.AllowDuplicateNames(true))
	for outside := decoder.StackDepth(); ; {
		token, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		if err := encoder.WriteToken(token); err != nil {
			return err
		}
		switch depth := decoder.StackDepth() - outside; {
		case depth > text.MaxDepth:
			return text.ErrDeep
		case depth == 0:
			*s = bytes.Clone(bytes.TrimSpace(value.Bytes())) // without the free part of the buffer
			return nil
		}
	}
}
