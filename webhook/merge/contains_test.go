package merge

import (
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// TestContains checks the values for which an apply would change nothing, or would change something, although have has more.
func TestContains(t *testing.T) {
	cases := []struct {
		reason     string
		have, want string
		contained  bool
	}{
		{"the API server set a default in an object", `{"a":1,"b":2}`, `{"b":2}`, true},
		{"a member after the last wanted one", `{"a":1,"b":2}`, `{"a":1}`, true},
		{"the API server set a default in an item with a key", `[{"name":"a","v":1}]`, `[{"name":"a"}]`, true},
		{"an apply replaces items without a key", `[{"a":1,"v":1}]`, `[{"a":1}]`, false},
		{"an object in an item without a key has more", `[{"a":{"b":1,"c":2}}]`, `[{"a":{"b":1}}]`, false},
		{"a list in an item without a key has more", `[{"a":[{"name":"x","v":1}]}]`, `[{"a":[{"name":"x"}]}]`, false},
		{"an item of a list in a list has more", `[[{"name":"a","v":1}]]`, `[[{"name":"a"}]]`, false},
		{"one item has more, and the other has another key", `[{"name":"a","v":1},{"port":1}]`, `[{"name":"a"},{"port":1}]`, false},
		{"items with several keys, of which an apply uses the first", `[{"name":"a","port":1,"v":1},{"name":"a","port":2}]`, `[{"name":"a","port":1},{"name":"a","port":2}]`, true},
		{"two items have the same key, so an apply uses the last one for both", `[{"name":"a","v":1},{"name":"a","v":2}]`, `[{"name":"a","v":1},{"name":"a","v":2}]`, false},
		{"an apply does not distinguish numbers and strings in keys", `[{"port":1,"v":1},{"port":"1"}]`, `[{"port":1,"v":1},{"port":"1"}]`, false},
		{"an apply replaces a list without keys, and equal keys below it", `[{"ports":[{"port":53,"v":1},{"port":53}]}]`, `[{"ports":[{"port":53,"v":1},{"port":53}]}]`, true},
		{"the value of a key has more, so it is another item", `[{"name":{"a":1}}]`, `[{"name":{}}]`, false},
		{"an additional item", `[1,2]`, `[1]`, false},
		{"a missing item", `[1]`, `[1,2]`, false},
		{"another type", `{"a":"1"}`, `{"a":1}`, false},
		{"nothing is wanted", `{"a":1}`, ``, true},
		{"nothing is there", ``, `{"a":1}`, false},
		{"neither", ``, ``, true},
	}
	for _, test := range cases {
		if got := contains(jsontext.Value(test.have), jsontext.Value(test.want)); got != test.contained {
			t.Errorf("%s: contains(%s, %s) = %t", test.reason, test.have, test.want, got)
		}
	}
}

// FuzzContains compares contains with [Apply]. The input chooses the desired spec, and what the observed one has in addition.
func FuzzContains(f *testing.F) {
	f.Add([]byte("\x02\x02\x00\x01\x03\x02\x01\x01\x00"))
	f.Add([]byte("\x03\x02\x02\x04\x00\x01\x02\x05\x00\x02\x01\x07\x03\x01"))
	f.Fuzz(func(t *testing.T, input []byte) {
		source := &choices{input}
		want := source.object(3)
		have := source.more(want).(map[string]any)
		haveJSON, wantJSON := encoded(t, have), encoded(t, want)
		if !contains(haveJSON, wantJSON) {
			return
		}
		for _, last := range []map[string]any{nil, want} {
			if diff := cmp.Diff(have, Apply(have, last, want)); diff != "" {
				t.Errorf("%s contains %s, but an apply after %v changes it (-before +after):\n%s", haveJSON, wantJSON, last, diff)
			}
		}
	})
}

func encoded(t *testing.T, value any) jsontext.Value {
	t.Helper()
	text, err := jsonv2.Marshal(value, jsonv2.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// choices builds values from the bytes of a fuzzer.
type choices struct{ bytes []byte }

func (c *choices) next(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	first := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(first) % n
}

func (c *choices) object(depth int) map[string]any {
	object := map[string]any{}
	for range c.next(4) {
		object[[]string{"name", "port", "a", "b"}[c.next(4)]] = c.value(depth - 1)
	}
	return object
}

func (c *choices) value(depth int) any {
	switch kind := c.next(4); {
	case depth > 0 && kind == 2:
		return c.object(depth)
	case depth > 0 && kind == 3:
		list := []any{}
		for range c.next(3) {
			list = append(list, c.value(depth-1))
		}
		return list
	}
	return []any{0., 1., "1"}[c.next(3)]
}

// more returns a copy of a value, with more members.
func (c *choices) more(value any) any {
	switch value := value.(type) {
	case map[string]any:
		object := map[string]any{}
		for _, name := range []string{"a", "b", "name", "port"} {
			if member, found := value[name]; found {
				object[name] = c.more(member)
			} else if c.next(3) == 1 {
				object[name] = float64(c.next(2))
			}
		}
		return object
	case []any:
		list := []any{}
		for _, item := range value {
			list = append(list, c.more(item))
		}
		return list
	}
	return value
}
