package golden

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInvariantOrder checks that the same request gets the same response, in any order of JSON members. Metacontroller's caches
// have no order. If the response differed, Metacontroller would write it at every sync, and each write would cause another sync.
func TestInvariantOrder(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			want := mustPost(t, handler, f.url(), f.request)
			for range 3 {
				got := mustPost(t, handler, f.url(), shuffle(t, random, parse(t, f.request)))
				if !bytes.Equal(want, got) {
					t.Fatalf("the order of members changes the response:\n%s", cmp.Diff(string(want), string(got)))
				}
			}
		})
	}
}

// TestInvariantIrrelevantFields checks that the hooks ignore metadata of the API server and fields of other managers.
func TestInvariantIrrelevantFields(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			want := mustPost(t, handler, f.url(), f.request)
			request := parse(t, f.request)
			disturb(request)
			if got := mustPost(t, handler, f.url(), encode(t, request)); !bytes.Equal(want, got) {
				t.Errorf("resourceVersion, managedFields or unknown fields change the response:\n%s", cmp.Diff(string(want), string(got)))
			}
		})
	}
}

// TestInvariantSettles checks that Metacontroller stops writing. After it has applied a response, the next response updates no
// children, and the third response is equal to the second.
func TestInvariantSettles(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	for _, f := range syncFixtures(t) {
		if f.hook == "finalize" {
			continue // the next response has fewer children: TestInvariantFinalizes
		}
		t.Run(f.name, func(t *testing.T) {
			first := parse(t, mustPost(t, handler, f.url(), f.request))
			request := apply(parse(t, f.request), first)
			second := parse(t, mustPost(t, handler, f.url(), encode(t, request)))
			if diff := cmp.Diff(updated(first["children"]), updated(second["children"])); diff != "" {
				t.Errorf("the children change after they were applied (-first +second):\n%s", diff)
			}
			third := parse(t, mustPost(t, handler, f.url(), encode(t, apply(request, second))))
			if diff := cmp.Diff(second, third); diff != "" {
				t.Errorf("the response changes although the cluster does not (-second +third):\n%s", diff)
			}
		})
	}
}

// TestInvariantFinalizes checks each stage of a teardown. Each response removes a child and adds none. It is finalized only
// when no child is left. Otherwise the parent would stay forever, or leave children behind.
func TestInvariantFinalizes(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	for _, f := range syncFixtures(t) {
		if f.hook != "finalize" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			request := parse(t, f.request)
			for {
				observed := observedChildren(request)
				response := parse(t, mustPost(t, handler, f.url(), encode(t, request)))
				desired := desiredChildren(response)
				if finalized := response["finalized"] == true; finalized != (len(observed) == 0) {
					t.Fatalf("finalized is %t, but the observed children are %v", finalized, observed)
				}
				if len(observed) == 0 {
					return
				}
				if len(desired) >= len(observed) || !containsAll(observed, desired) {
					t.Fatalf("the observed children are %v and the desired children %v, want fewer and no new ones", observed, desired)
				}
				request = apply(request, response)
			}
		})
	}
}

// TestInvariantNoZeroPort checks that no port is 0. A Go struct encodes an unset IntOrString as 0, and the API server sets
// a default, so Metacontroller would see a difference at every sync.
func TestInvariantNoZeroPort(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	for _, f := range syncFixtures(t) {
		visit(parse(t, mustPost(t, handler, f.url(), f.request)), "", func(path, key string, value any) {
			switch key {
			case "port", "targetPort", "containerPort", "number":
				if value == float64(0) {
					t.Errorf("%s: %s is 0", f.name, path)
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

// disturb changes the fields that no rule may read, in every object of a request.
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

// observedChildren returns the kinds and names of the children in a request.
func observedChildren(request map[string]any) []string {
	var names []string
	for _, group := range request["children"].(map[string]any) {
		for _, child := range group.(map[string]any) {
			names = append(names, childName(child))
		}
	}
	return names
}

// desiredChildren returns the kinds and names of the children in a response.
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
