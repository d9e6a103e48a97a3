package test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLawDeterministic: Metacontroller compares what it gets with what is stored, so a second answer that differs in a
// byte is a write, and the write another sync.
func TestLawDeterministic(t *testing.T) {
	handler := newHandler()
	for _, f := range fixtures(t) {
		t.Run(f.folder, func(t *testing.T) {
			first := mustAnswer(t, handler, f.url(), f.request)
			if second := mustAnswer(t, handler, f.url(), f.request); !bytes.Equal(first, second) {
				t.Errorf("the same request twice:\n%s", cmp.Diff(string(first), string(second)))
			}
		})
	}
}

// TestLawOrderInvariant: a JSON object has no order, and Metacontroller's caches have none either.
func TestLawOrderInvariant(t *testing.T) {
	handler := newHandler()
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range fixtures(t) {
		t.Run(f.folder, func(t *testing.T) {
			want := mustAnswer(t, handler, f.url(), f.request)
			for range 20 {
				got := mustAnswer(t, handler, f.url(), shuffle(t, random, parse(t, f.request)))
				if !bytes.Equal(want, got) {
					t.Fatalf("the order of members changes the answer:\n%s", cmp.Diff(string(want), string(got)))
				}
			}
		})
	}
}

// TestLawIrrelevant: what the API server and other managers write beside the facts must not reach the answer.
func TestLawIrrelevant(t *testing.T) {
	handler := newHandler()
	for _, f := range fixtures(t) {
		t.Run(f.folder, func(t *testing.T) {
			want := mustAnswer(t, handler, f.url(), f.request)
			request := parse(t, f.request)
			disturb(request)
			if got := mustAnswer(t, handler, f.url(), encode(t, request)); !bytes.Equal(want, got) {
				t.Errorf("resource versions, managed fields or foreign fields change the answer:\n%s", cmp.Diff(string(want), string(got)))
			}
		})
	}
}

// TestLawSettles: once Metacontroller has applied an answer, the next one is the same. Otherwise it writes for ever.
func TestLawSettles(t *testing.T) {
	handler := newHandler()
	for _, f := range syncFixtures(t) {
		t.Run(f.folder, func(t *testing.T) {
			first := mustAnswer(t, handler, f.url(), f.request)
			applied := encode(t, apply(parse(t, f.request), parse(t, first)))
			second := mustAnswer(t, handler, f.url(), applied)
			if diff := cmp.Diff(parse(t, first), parse(t, second)); diff != "" {
				t.Errorf("the answer changes once it is applied (-first +second):\n%s", diff)
			}
		})
	}
}

// TestLawNoZeroPort: a Go struct encodes an unset IntOrString as 0, the API server defaults it, and the two differ at
// every sync.
func TestLawNoZeroPort(t *testing.T) {
	handler := newHandler()
	for _, f := range syncFixtures(t) {
		visit(parse(t, mustAnswer(t, handler, f.url(), f.request)), "", func(path, key string, value any) {
			switch key {
			case "port", "targetPort", "containerPort", "number":
				if value == float64(0) {
					t.Errorf("%s: %s is 0", f.folder, path)
				}
			}
		})
	}
}

// shuffle encodes a value with the members of every object in random order.
func shuffle(t *testing.T, random *rand.Rand, value any) []byte {
	t.Helper()
	object, ok := value.(map[string]any)
	if !ok {
		return encode(t, value)
	}
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	members := make([][]byte, 0, len(keys))
	for _, key := range keys {
		members = append(members, append(append(encode(t, key), ':'), shuffle(t, random, object[key])...))
	}
	return append(append([]byte{'{'}, bytes.Join(members, []byte{','})...), '}')
}

// disturb changes in every object of a request what no rule may read.
func disturb(request map[string]any) {
	request["future"] = map[string]any{"member": []any{1, "x", nil}}
	objects := []any{request["parent"]}
	for _, part := range []string{"children", "related"} {
		groups, _ := request[part].(map[string]any)
		for _, group := range groups {
			for _, object := range group.(map[string]any) {
				objects = append(objects, object)
			}
		}
		if groups != nil {
			groups["Unknown.example.com/v1"] = map[string]any{"x": map[string]any{"metadata": map[string]any{"name": "x"}}}
		}
	}
	for _, object := range objects {
		metadata := object.(map[string]any)["metadata"].(map[string]any)
		metadata["resourceVersion"] = "987654321"
		metadata["managedFields"] = []any{map[string]any{"manager": "somebody", "fieldsV1": map[string]any{"f:spec": map[string]any{}}}}
		object.(map[string]any)["future"] = map[string]any{"field": true}
	}
}

func visit(value any, path string, f func(path, key string, value any)) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			f(path+"."+key, key, member)
			visit(member, path+"."+key, f)
		}
	case []any:
		for _, element := range value {
			visit(element, path+"[]", f)
		}
	}
}
