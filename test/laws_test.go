package test

import (
	"bytes"
	"math/rand/v2"
	"slices"
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
			for range 3 {
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

// TestLawSettles: once Metacontroller has applied an answer, the next one asks for the same children, and once the status
// has caught up with those, nothing changes any more. Otherwise it writes for ever.
func TestLawSettles(t *testing.T) {
	handler := newHandler()
	for _, f := range syncFixtures(t) {
		if f.hook == "finalize" {
			continue // TestLawFinalizes: there the next answer has fewer children
		}
		t.Run(f.folder, func(t *testing.T) {
			first := parse(t, mustAnswer(t, handler, f.url(), f.request))
			request := apply(parse(t, f.request), first)
			second := parse(t, mustAnswer(t, handler, f.url(), encode(t, request)))
			if diff := cmp.Diff(first["children"], second["children"]); diff != "" {
				t.Errorf("the children change once they are applied (-first +second):\n%s", diff)
			}
			third := parse(t, mustAnswer(t, handler, f.url(), encode(t, apply(request, second))))
			if diff := cmp.Diff(second, third); diff != "" {
				t.Errorf("the answer changes although the cluster does not (-second +third):\n%s", diff)
			}
		})
	}
}

// TestLawFinalizes: from wherever a teardown stands, each answer takes something away and makes nothing anew, and the
// parent is let go once all is gone, not before. Otherwise it stays for ever, or leaves something behind.
func TestLawFinalizes(t *testing.T) {
	handler := newHandler()
	for _, f := range syncFixtures(t) {
		if f.hook != "finalize" {
			continue
		}
		t.Run(f.folder, func(t *testing.T) {
			request := parse(t, f.request)
			for {
				observed := observedChildren(request)
				response := parse(t, mustAnswer(t, handler, f.url(), encode(t, request)))
				desired := desiredChildren(response)
				if finalized := response["finalized"] == true; finalized != (len(observed) == 0) {
					t.Fatalf("finalized is %t while %v are observed", finalized, observed)
				}
				if len(observed) == 0 {
					return
				}
				if len(desired) >= len(observed) || !containsAll(observed, desired) {
					t.Fatalf("of %v it keeps %v: what is observed has to get less, with nothing new", observed, desired)
				}
				request = apply(request, response)
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

// observedChildren are the kinds and names of the children in a request, desiredChildren those in a response.
func observedChildren(request map[string]any) []string {
	var names []string
	for _, group := range request["children"].(map[string]any) {
		for _, child := range group.(map[string]any) {
			names = append(names, childName(child))
		}
	}
	return names
}

func desiredChildren(response map[string]any) []string {
	var names []string
	for _, child := range response["children"].([]any) {
		names = append(names, childName(child))
	}
	return names
}

func childName(child any) string {
	object := child.(map[string]any)
	return object["kind"].(string) + " " + object["metadata"].(map[string]any)["name"].(string)
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(all, name) })
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
