//go:build faults

package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/crds"
	"github.com/example/memcached-operator/webhook/composite"
)

// openAPI is the part of a schema that shows how large a field can be.
type openAPI struct {
	Type          string             `json:"type"`
	IntOrString   bool               `json:"x-kubernetes-int-or-string"`
	Properties    map[string]openAPI `json:"properties"`
	Items         *openAPI           `json:"items"`
	Values        *openAPI           `json:"additionalProperties"`
	Enum          []any              `json:"enum"`
	MaxLength     *int               `json:"maxLength"`
	MaxItems      *int               `json:"maxItems"`
	MaxProperties *int               `json:"maxProperties"`
}

// largest is the number of bytes of a field beside which the API server, whose etcd stores 1.5 MiB, accepts the rest of an object.
const largest = 1_400_000

// largeValues calls each with values of a field and of all fields below it, as large as the schema allows, and with the paths of the fields.
// The values are those that become longer in a response or an error, or that take much memory: letters, < (six bytes in JSON), DEL (four
// bytes as %q), entries and keys. Most are invalid in most fields.
func (s *openAPI) largeValues(at string, bytes int, each func(at string, value any)) {
	limited := func(size int, limit *int) int {
		if limit != nil {
			size = min(size, *limit)
		}
		return size
	}
	if (s.Type == "string" || s.IntOrString) && s.Enum == nil {
		for _, letter := range []string{"a", "<", "\x7f"} {
			text, size := fmt.Sprintf("%+q", letter), bytes
			if bytes < largest && letter == "<" {
				size /= 6 // the hook counts the bytes of JSON
			}
			each(at+" of "+text, strings.Repeat(letter, limited(size, s.MaxLength)))
		}
	}
	entries := bytes / 3
	switch {
	case bytes < composite.MaxSpecBytes:
		entries = 1_800 // the hook accepts at most 2,000 values in a spec, and 20,000 in a status
	case bytes < largest:
		entries = 18_000
	}
	if s.Items != nil {
		for _, entry := range s.Items.smallest() {
			each(fmt.Sprintf("%s of %q", at, entry), slices.Repeat([]any{entry}, limited(entries, s.MaxItems)))
		}
		s.Items.largeValues(at+"[]", bytes, func(at string, value any) { each(at, []any{value}) })
	}
	if s.Values != nil {
		s.largeMaps(at, bytes, limited(entries, s.MaxProperties), each)
		s.Values.largeValues(at+"{}", bytes, func(at string, value any) { each(at, map[string]any{"a": value}) })
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		property.largeValues(at+"."+name, bytes, func(at string, value any) { each(at, map[string]any{name: value}) })
	}
}

// largeMaps calls each with maps of so many bytes and at most so many entries, whose keys are valid, or have several errors each, and with a long key.
func (s *openAPI) largeMaps(at string, bytes, most int, each func(at string, value any)) {
	for _, value := range s.Values.smallest() {
		for _, suffix := range []string{"", "!/"} {
			entries := map[string]any{}
			for size := 0; size < bytes && len(entries) < most; {
				key := strconv.FormatInt(int64(len(entries)), 36) + suffix
				entries[key], size = value, size+len(fmt.Sprintf("%q:%q,", key, value))
			}
			each(fmt.Sprintf("%s of %q, keys with %q", at, value, suffix), entries)
		}
	}
	each(at+" with a long key", map[string]any{strings.Repeat("\x7f", bytes): s.Values.smallest()[0]})
}

// smallest returns the shortest values that decode: a text that is valid in many fields, and one that is not, and a quantity whose text the hook
// computes anew after it has rounded it.
func (s *openAPI) smallest() []any {
	switch {
	case s.IntOrString:
		return []any{"1Pi"}
	case s.Type == "string":
		return []any{"", "-"}
	}
	return []any{map[string]any{"object": map[string]any{}, "array": []any{}, "integer": 0, "boolean": false, "number": 0}[s.Type]}
}

// valid are parents whose optional parts are set, so that a large value that the hook accepts is in as many children as possible.
var valid = map[string]string{
	"Memcached":         `{"spec": {"size": 2, "proxy": {}, "metrics": {"enabled": true}}}`,
	"Nginx":             `{"spec": {"count": 2}}`,
	"CustomImageDeploy": `{"spec": {"image": "a", "port": 80}}`,
	"Xca":               `{}`,
}

// invalid has one value more that the hook refuses: it returns the status that it has got.
var invalid = map[string]any{"spec": map[string]any{"nodeSelector": map[string]any{"": "?"}}}

// metadata is the part of the schema that no CRD has.
const metadata = `{"type": "object", "properties": {
	"labels": {"type": "object", "additionalProperties": {"type": "string"}}, "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
	"finalizers": {"type": "array", "items": {"type": "string"}},
	"ownerReferences": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
	"managedFields": {"type": "array", "items": {"type": "object", "properties": {"fieldsV1": {"type": "object", "additionalProperties": {"type": "object"}}}}}}}`

// bodyOf returns the body of a request for a valid parent with other values, as Metacontroller encodes it.
func bodyOf(kind schema.GroupVersionKind, hook string, values ...any) []byte {
	parent := map[string]any{}
	must(json.Unmarshal([]byte(valid[kind.Kind]), &parent))
	identity := map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": map[string]any{"name": "cache", "namespace": "web"}}
	for _, value := range append(values, identity) {
		merge(parent, value.(map[string]any))
	}
	body, err := json.Marshal(map[string]any{"parent": parent, "finalizing": hook == "finalize"})
	must(err)
	return body
}

func merge(into, from map[string]any) {
	for name, value := range from {
		inner, isObject := value.(map[string]any)
		if existing, ok := into[name].(map[string]any); ok && isObject {
			merge(existing, inner)
		} else {
			into[name] = value
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// hooksOf are the hooks that Metacontroller calls with any parent.
var hooksOf = map[string][]string{
	"Memcached": {"sync", "customize"}, "Nginx": {"sync", "customize"}, "CustomImageDeploy": {"sync", "customize", "finalize"}, "Xca": {"sync"},
}

// between is the time between two batches. Without a rest, the hook would refuse many requests, and its memory would not show what they need.
const between = 60 * time.Millisecond

// TestFields sends parents of which one field is as large as the API server stores, or as large as the hook accepts, for each field of the CRDs,
// ten at the same time. A tenant can create such parents, and must not take the hook away from others: it keeps below memoryLimit.
func TestFields(t *testing.T) {
	kinds, err := crds.Schemas[openAPI]()
	must(err)
	var p *program
	worst, slowest, codes := 0.0, 0.0, map[int]int{}
	send := func(hook, name string, body []byte) {
		if p == nil {
			p = start(t, "--operator-image=registry.example/memcached-operator:1")
		}
		time.Sleep(between)
		c := newClient(new(http.Transport))
		c.hook = hook
		var group sync.WaitGroup
		for i := range 10 { // those of one namespace would wait for each other
			group.Go(func() {
				c.post(p.url(), []byte(strings.Replace(string(body), `"namespace":"web"`, fmt.Sprintf(`"namespace":"web-%d"`, i), 1)))
			})
		}
		group.Wait()
		c.http.CloseIdleConnections()
		c.wantOnly(t, 200, 413, 422)
		_, peak := p.memory(t)
		worst, slowest = max(worst, peak), max(slowest, c.percentile(1))
		for code, count := range c.codes {
			codes[code] += count
		}
		if peak > memoryLimit || c.percentile(1) > 5000 {
			t.Errorf("%s of ten parents at the same time: %v, peak %.0f MiB resident, slowest after %.0f ms", name, c.codes, peak, c.percentile(1))
			p = nil // the peak of the next ones is that of another process
		}
	}
	for kind, root := range kinds {
		var ofMetadata openAPI
		must(json.Unmarshal([]byte(metadata), &ofMetadata))
		root.Properties["metadata"] = ofMetadata
		status := openAPI{Properties: map[string]openAPI{"status": root.Properties["status"]}}
		for _, name := range hooksOf[kind.Kind] {
			hook := "/" + strings.ToLower(kind.Kind) + "/" + name
			sendAll := func(of *openAPI, bytes int, others ...any) {
				of.largeValues(kind.Kind, bytes, func(at string, value any) { send(hook, at, bodyOf(kind, name, append(others, value)...)) })
			}
			sendAll(&root, largest)
			sendAll(&root, composite.MaxSpecBytes-1000)
			sendAll(&status, largest, invalid)
			sendAll(&status, composite.MaxStatusBytes-1000, invalid)
		}
	}
	t.Logf("%v responses; peak %.0f MiB resident, slowest after %.0f ms", codes, worst, slowest)
}
