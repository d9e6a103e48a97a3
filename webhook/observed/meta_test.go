package observed

import (
	"errors"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/example/memcached-operator/webhook/text"
)

// TestDeepObjects: an API server stores managedFields with 10,000 levels, also in a pod template. The stack of a decoder that calls itself for each
// level grows to 8 MiB, for each of Metacontroller's workers, and no limit of the heap counts it.
func TestDeepObjects(t *testing.T) {
	const levels = 9_900
	metadata := `"metadata": {"name": "a", "managedFields": [{"fieldsV1": ` + strings.Repeat(`{"f:a":`, levels) + `{}` + strings.Repeat(`}`, levels) + `}]}`
	spec := `"spec": {"template": {` + metadata + `}}`
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection makes stacks smaller
	for _, test := range []struct {
		reason, members string
		into            any
		want            error
	}{
		{"fields that no rule reads are skipped", metadata, new(Pod), nil},
		{"also those of a child", metadata, new(Child), nil},
		{"a spec that is compared as a whole", spec, new(Child), text.ErrDeep},
		{"a spec with a pod template", spec, new(Workload), text.ErrDeep},
		{"a spec of which rules read some fields", spec, new(Job), nil},
	} {
		t.Run(test.reason, func(t *testing.T) { // with a stack of its own
			before := stackBytes()
			if err := jsonv2.Unmarshal([]byte("{"+test.members+"}"), test.into); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
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
