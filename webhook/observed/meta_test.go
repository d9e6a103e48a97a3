package observed

import (
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
)

// TestDeepMetadata: an API server stores managedFields with 10,000 levels. The stack of a decoder that calls itself for each level grows to 8 MiB, for
// each of Metacontroller's workers, and no limit of the heap counts it.
func TestDeepMetadata(t *testing.T) {
	const levels = 9_900
	object := `{"metadata": {"name": "a", "managedFields": [{"fieldsV1": ` + strings.Repeat(`{"f:a":`, levels) + `{}` + strings.Repeat(`}`, levels) + `}]}}`
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection makes stacks smaller
	for reason, into := range map[string]any{
		"related objects":        new(Pod),
		"children":               new(Child),
		"children with a status": new(Workload),
	} {
		t.Run(reason, func(t *testing.T) { // with a stack of its own
			before := stackBytes()
			if err := jsonv2.Unmarshal([]byte(object), into); err != nil {
				t.Error(err)
			}
			if grown := stackBytes() - before; grown > 1<<20 {
				t.Errorf("the stack has grown by %d bytes", grown)
			}
		})
	}
}

func stackBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
