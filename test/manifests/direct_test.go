package manifests

import (
	"encoding/json"
	"testing"
)

// direct has the fields of a Memcached's spec that a builder copies unchanged, and their paths in a child.
var direct = map[string]struct {
	kind string
	path []any
}{
	"podAnnotations":      {"Deployment", []any{"spec", "template", "metadata", "annotations"}},
	"resources":           {"Deployment", []any{"spec", "template", "spec", "containers", 0, "resources"}},
	"image":               {"Deployment", []any{"spec", "template", "spec", "containers", 0, "image"}},
	"networkPolicy.from":  {"NetworkPolicy", []any{"spec", "ingress", 0, "from"}},
	"service.annotations": {"Service", []any{"metadata", "annotations"}},
}

// TestAPIServerRefusesTheSame checks that the API server refuses what a hook refuses, for fields that are copied into a child
// unchanged. A case can have a reason why the hook is stricter.
func TestAPIServerRefusesTheSame(t *testing.T) {
	response := sync(t, variant{}.parent(t))
	if !accepted(response) {
		t.Fatal(response.Body)
	}
	for _, v := range variants(t, "refused") {
		if v.Kind != "" || len(v.Spec) != 1 {
			continue
		}
		for name, value := range flat(v.Spec) {
			place, ok := direct[name]
			if !ok {
				continue
			}
			err := created(t, with(t, response.Body.Bytes(), place.kind, place.path, value))
			if err == nil && v.Stricter == "" {
				t.Errorf("%s: %v: the API server accepts it: add the reason of the hook as stricter", v.Why, v.Spec)
			}
			if err != nil && v.Stricter != "" {
				t.Errorf("%s: %v: the API server refuses it, so stricter is wrong: %v", v.Why, v.Spec, err)
			}
		}
	}
}

// flat returns the fields of a spec and the fields one level below.
func flat(spec map[string]any) map[string]any {
	all := map[string]any{}
	for name, value := range spec {
		all[name] = value
		below, _ := value.(map[string]any)
		for each, value := range below {
			all[name+"."+each] = value
		}
	}
	return all
}

// with decodes a response and returns the child of a kind with another value at a path.
func with(t *testing.T, response []byte, kind string, path []any, value any) map[string]any {
	t.Helper()
	var decoded struct {
		Children []map[string]any `json:"children"`
	}
	if err := json.Unmarshal(response, &decoded); err != nil {
		t.Fatal(err)
	}
	for _, child := range decoded.Children {
		if child["kind"] == kind {
			put(child, path, value)
			return child
		}
	}
	t.Fatalf("no child of kind %s", kind)
	return nil
}

func put(in any, path []any, value any) {
	last := len(path) - 1
	for _, step := range path[:last] {
		if index, ok := step.(int); ok {
			in = in.([]any)[index]
			continue
		}
		in = in.(map[string]any)[step.(string)]
	}
	in.(map[string]any)[path[last].(string)] = value
}
