package walk

import (
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const namespace, name = "web", "cache"

// parent is a stored Memcached. spec and status are replaced and never modified.
type parent struct {
	name       string
	uid        types.UID
	generation int64
	created    time.Time
	edited     time.Time
	spec       json.RawMessage
	status     json.RawMessage
}

// newParent returns a Memcached as the API server stores it. The CRD has a default for status.
func newParent(uid types.UID, spec json.RawMessage, now time.Time) parent {
	return parent{name: name, uid: uid, generation: 1, created: now, edited: now, spec: spec, status: json.RawMessage(`{"observedGeneration":-1}`)}
}

// raw returns the JSON of the Memcached.
func (p *parent) raw() []byte {
	at := func(t time.Time) string { return t.Format(time.RFC3339) }
	return fmt.Appendf(nil, `{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":%q,"namespace":%q,"uid":%q,"generation":%d,`+
		`"creationTimestamp":%q,"managedFields":[{"manager":"kubectl","operation":"Update","time":%q}]},"spec":%s,"status":%s}`,
		p.name, namespace, p.uid, p.generation, at(p.created), at(p.edited), p.spec, p.status)
}

// replace sets the spec. The API server increases the generation only if the spec changes.
func (p *parent) replace(spec json.RawMessage, now time.Time) {
	if string(spec) != string(p.spec) {
		p.spec, p.edited = spec, now
		p.generation++
	}
}

// mergePatch applies a JSON merge patch (RFC 7386).
func mergePatch(document json.RawMessage, patch string) json.RawMessage {
	var values, changes map[string]any
	for text, into := range map[string]*map[string]any{string(document): &values, patch: &changes} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			panic(fmt.Sprintf("%v: %s", err, text))
		}
	}
	text, err := json.Marshal(patched(values, changes))
	if err != nil {
		panic(err)
	}
	return text
}

func patched(values, changes map[string]any) map[string]any {
	if values == nil {
		values = map[string]any{}
	}
	for key, change := range changes {
		switch change := change.(type) {
		case nil:
			delete(values, key)
		case map[string]any:
			below, _ := values[key].(map[string]any)
			values[key] = patched(below, change)
		default:
			values[key] = change
		}
	}
	return values
}
