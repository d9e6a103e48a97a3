package observed

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Child is an observed child of which rules read no status.
type Child struct {
	ChildMeta `json:"metadata"`
	// Spec stays JSON, because rules only compare it with the desired spec.
	Spec jsontext.Value `json:"spec"`
}

// SpecJSON returns spec as it was observed.
func (c *Child) SpecJSON() jsontext.Value { return c.Spec }
