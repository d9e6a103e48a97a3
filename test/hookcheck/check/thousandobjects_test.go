package check

import "testing"

// TestMultiplied checks that the choice does not depend on the order of a map.
func TestMultiplied(t *testing.T) {
	t.Parallel()
	named := func(names ...string) map[string]any {
		objects := map[string]any{}
		for _, name := range names {
			objects[name] = map[string]any{"metadata": map[string]any{"name": name}}
		}
		return objects
	}
	request := map[string]any{"related": map[string]any{}, "children": map[string]any{
		"ConfigMap.v1": named("large"), "Deployment.apps/v1": named("one"), "Pod.v1": named("a", "b"),
	}}
	for range 20 {
		multiplied, _ := multiplied(request, 1<<20)
		if got := len(object(object(multiplied["children"])["Pod.v1"])); got != 2+manyObjects {
			t.Fatalf("%d pods, want %d: a real request has many objects of the kind that has the most of them", got, 2+manyObjects)
		}
	}
}
