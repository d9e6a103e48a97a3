package observed

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Child is an observed child whose status no rule reads.
type Child struct {
	ChildMeta `json:"metadata"`
	// Spec remains JSON, because rules only compare it with the desired spec.
	Spec jsontext.Value `json:"spec"`
}

// SpecJSON returns the observed spec.
func (c *Child) SpecJSON() jsontext.Value { return c.Spec }
