package manifests

import (
	"encoding/json"
	"testing"
)

// direct are the fields of a Memcached's spec whose values a builder hands on as they are, with where they are in a child.
var direct = map[string]struct {
	kind string
	path []any
}{
	"tolerations":               {"Deployment", []any{"spec", "template", "spec", "tolerations"}},
	"affinity":                  {"Deployment", []any{"spec", "template", "spec", "affinity"}},
	"nodeSelector":              {"Deployment", []any{"spec", "template", "spec", "nodeSelector"}},
	"topologySpreadConstraints": {"Deployment", []any{"spec", "template", "spec", "topologySpreadConstraints"}},
	"podSecurityContext":        {"Deployment", []any{"spec", "template", "spec", "securityContext"}},
	"podAnnotations":            {"Deployment", []any{"spec", "template", "metadata", "annotations"}},
	"securityContext":           {"Deployment", []any{"spec", "template", "spec", "containers", 0, "securityContext"}},
	"resources":                 {"Deployment", []any{"spec", "template", "spec", "containers", 0, "resources"}},
	"image":                     {"Deployment", []any{"spec", "template", "spec", "containers", 0, "image"}},
	"networkPolicy.from":        {"NetworkPolicy", []any{"spec", "ingress", 0, "from"}},
	"service.annotations":       {"Service", []any{"metadata", "annotations"}},
}

// TestRefusalsAreTheAPIServers holds that the API server refuses the values that a hook refuses, where they are put into a
// child as they are, unless the case says why the hook is stricter.
func TestRefusalsAreTheAPIServers(t *testing.T) {
	answer := sync(t, variant{}.parent(t))
	if !accepted(answer) {
		t.Fatal(answer.Body)
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
			err := created(t, with(t, answer.Body.Bytes(), place.kind, place.path, value))
			if err == nil && v.Stricter == "" {
				t.Errorf("%s: %v: the API server accepts it: say in stricter why the hook does not", v.Why, v.Spec)
			}
			if err != nil && v.Stricter != "" {
				t.Errorf("%s: %v: the API server refuses it too, so stricter is wrong: %v", v.Why, v.Spec, err)
			}
		}
	}
}

// flat names the fields of a spec, and those one level below it.
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

// with returns the child of a kind with a value put into it. Each call decodes the response again.
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
