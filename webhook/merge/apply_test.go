package merge

import (
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// TestApply has a case for each class of results in which a simpler merge differs from Metacontroller's.
func TestApply(t *testing.T) {
	cases := []struct{ reason, observed, last, desired, want string }{
		{"fields of other owners stay", `{"a":1}`, `{}`, `{"b":2}`, `{"a":1,"b":2}`},
		{"a field that is no longer desired is removed", `{"a":{"x":1,"y":1}}`, `{"a":{"x":1}}`, `{"a":{}}`, `{"a":{"y":1}}`},
		{"a desired null is written", `{"a":1}`, `{}`, `{"a":null,"b":null}`, `{"a":null,"b":null}`},
		{"an object in place of which another type is desired stays", `{"a":{"x":1,"y":1}}`, `{"a":{"x":1}}`, `{"a":1}`, `{"a":{"y":1}}`},
		{"items with a key keep their order, and new ones come last", `{"l":[{"name":"b"},{"name":"a","x":1}]}`, `{}`,
			`{"l":[{"name":"c"},{"name":"a"}]}`, `{"l":[{"name":"b"},{"name":"a","x":1},{"name":"c"}]}`},
		{"an item that is no longer desired is removed", `{"l":[{"name":"a"},{"name":"b"}]}`, `{"l":[{"name":"a"}]}`, `{"l":[]}`, `{"l":[{"name":"b"}]}`},
		{"the last of several desired items with a key counts", `{"l":[{"name":"a"}]}`, `{}`, `{"l":[{"name":"b","x":1},{"name":"b"}]}`, `{"l":[{"name":"a"},{"name":"b"}]}`},
		{"the last of several observed items with a key replaces the others", `{"l":[{"name":"a","x":1},{"name":"a","y":1}]}`, `{}`,
			`{"l":[{"name":"a"}]}`, `{"l":[{"name":"a","y":1},{"name":"a","y":1}]}`},
		{"a number and a string are the same key", `{"l":[{"port":1}]}`, `{}`, `{"l":[{"port":"1"}]}`, `{"l":[{"port":"1"}]}`},
		{"a merge that changes the value of a key moves the item", `{"l":[{"name":[{"ip":0,"x":1},{"ip":0}]},{"name":"b"}]}`, `{}`,
			`{"l":[{"name":[{"ip":0,"x":1},{"ip":0}]}]}`, `{"l":[{"name":"b"},{"name":[{"ip":0},{"ip":0}]}]}`},
		{"items that were applied without the key are replaced", `{"l":[{"name":"a","x":1}]}`, `{"l":[{}]}`, `{"l":[{"name":"a"}]}`, `{"l":[{"name":"a"}]}`},
	}
	for _, test := range cases {
		var objects [4]map[string]any
		for i, text := range []string{test.observed, test.last, test.desired, test.want} {
			if err := jsonv2.Unmarshal([]byte(text), &objects[i]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(objects[3], Apply(objects[0], objects[1], objects[2])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
