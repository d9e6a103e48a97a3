package merge

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgreed(t *testing.T) {
	for _, test := range []struct{ reason, observed, last, want string }{
		{"a field that the API server dropped", `{"a":{}}`, `{"a":{"b":{}},"c":1}`, `{"a":{}}`},
		{"a value that somebody changed", `{"a":2}`, `{"a":1}`, `{"a":2}`},
		{"a field of another owner", `{"a":1,"b":1}`, `{"a":1}`, `{"a":1}`},
		{"another type", `{"a":{"b":1},"c":1}`, `{"a":[],"c":"1"}`, `{"a":{"b":1},"c":1}`},
		{"an item of another owner", `{"l":[{"name":"sidecar"},{"name":"a","b":2,"c":1}]}`, `{"l":[{"name":"a","b":1},{"name":"d"}]}`, `{"l":[{"name":"a","b":2}]}`},
		{"a list that an apply replaces", `{"l":["a","b"]}`, `{"l":["c"]}`, `{"l":["a","b"]}`},
		{"a selector in it: one without labels would select everything", `{"l":[{"a":{"b":2}}]}`, `{"l":[{"a":{"c":1}}]}`, `{"l":[{"a":{"b":2}}]}`},
		{"items with the same key in it", `{"l":[{"ports":[{"port":53,"a":"UDP"},{"port":53},{"port":1}]}]}`, `{"l":[{"ports":[{"port":53,"a":"UDP"},{"port":53}]}]}`,
			`{"l":[{"ports":[{"port":53,"a":"UDP"},{"port":53},{"port":1}]}]}`},
	} {
		var objects [3]map[string]any
		for i, text := range []string{test.observed, test.last, test.want} {
			if err := json.Unmarshal([]byte(text), &objects[i]); err != nil {
				t.Fatal(err)
			}
		}
		observed, last, want := objects[0], objects[1], objects[2]
		got := Agreed(observed, last)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(observed, Apply(observed, last, got)); diff != "" {
			t.Errorf("%s: an apply changes the object (-before +after):\n%s", test.reason, diff)
		}
	}
}

// TestAgreedImages: what was applied tells whether pods are current, although a policy gives images another registry in each apply.
func TestAgreedImages(t *testing.T) {
	observed := map[string]any{"containers": []any{map[string]any{"name": "a", "image": "mirror/a"}}}
	last := map[string]any{"containers": []any{map[string]any{"name": "a", "image": "a"}}}
	if diff := cmp.Diff(last, Agreed(observed, last)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzAgreed checks that an apply changes nothing, whatever a user says was applied last, or makes only items with the same key equal, and nothing then.
func FuzzAgreed(f *testing.F) {
	f.Add([]byte("\x02\x02\x00\x01\x03\x02\x01\x01\x00\x02\x02\x00\x01\x03\x02\x01\x01\x00"))
	f.Fuzz(func(t *testing.T, input []byte) {
		source := &choices{input}
		first, origin := source.object(3), source.object(3)
		observed, last := first, origin
		for apply := range 3 {
			desired := Agreed(observed, last)
			after := Apply(observed, last, desired)
			if diff := cmp.Diff(observed, after); diff != "" && apply == 2 {
				t.Errorf("%s after %s: the third apply changes the object (-before +after):\n%s", encoded(t, first), encoded(t, origin), diff)
			}
			observed, last = after, desired
		}
	})
}
