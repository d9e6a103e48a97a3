package render_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/parents"
)

// TestGenerationOfAnObservedParent: the API server increases the generation only when the stored spec changes. A hook that
// sees a higher generation waits for a rollout that never happens.
func TestGenerationOfAnObservedParent(t *testing.T) {
	t.Parallel()
	cache := v1alpha1.SchemeGroupVersion.WithKind("Memcached")
	deploy := schema.GroupVersionKind{Group: "customimagedeploy.example.com", Version: "v1", Kind: "CustomImageDeploy"}
	cases := []struct {
		reason         string
		kind           schema.GroupVersionKind
		observed, file string
		changed        bool
	}{
		{"the same", cache, `{"size": 3}`, "{size: 3}", false},
		{"another size", cache, `{"size": 3}`, "{size: 4}", true},
		{"a removed field", cache, `{"size": 3, "image": "memcached:1.6"}`, "{size: 3}", true},
		{"another form of a number in the file", cache, `{"size": 3}`, "{size: 3.0}", false},
		{"another form of a number in the record", cache, `{"size": 3.0}`, "{size: 3}", false},
		{"another order of fields", cache, `{"size": 3, "image": "memcached:1.6"}`, "{image: 'memcached:1.6', size: 3}", false},
		{"a null, which the API server drops", cache, `{"size": 3}`, "{size: 3, image: null, tls: null}", false},
		{"a null in a map, which the API server drops too", cache, `{"size": 3, "podLabels": {}}`, "{size: 3, podLabels: {team: null}}", false},
		{"a null in an item of a list, which the API server drops too", cache, `{"size": 3, "tolerations": [{"key": "a"}]}`, "{size: 3, tolerations: [{key: a, value: null}]}", false},
		{"a null in the record", cache, `{"size": 3, "tls": null}`, "{size: 3}", false},
		{"the same quantity", cache, `{"size": 3, "resources": {"limits": {"memory": "1Gi"}}}`, "{size: 3, resources: {limits: {memory: 1Gi}}}", false},
		{"another form of a quantity, which the API server stores as written", cache, `{"size": 3, "resources": {"limits": {"memory": "1Gi"}}}`, "{size: 3, resources: {limits: {memory: 1024Mi}}}", true},
		{"a default that is missing in the file", deploy, `{"image": "web:1", "port": 80, "size": 1}`, "{image: 'web:1', port: 80}", false},
		{"a default that is missing in the record", deploy, `{"image": "web:1", "port": 80}`, "{image: 'web:1', port: 80, size: 1}", false},
		{"a default that is missing in both", deploy, `{"image": "web:1", "port": 80}`, "{image: 'web:1', port: 80}", false},
		{"a null, which stands for the default", deploy, `{"image": "web:1", "port": 80, "size": 1}`, "{image: 'web:1', port: 80, size: null}", false},
		{"a value that is not the default", deploy, `{"image": "web:1", "port": 80}`, "{image: 'web:1', port: 80, size: 2}", true},
	}
	for _, test := range cases {
		const generation = 7
		text := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: a, namespace: web}\nspec: %s\n", test.kind.GroupVersion(), test.kind.Kind, test.file)
		objects, err := renderText(text, recorded(t, test.kind, test.observed, generation))
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		want := float64(generation)
		if test.changed {
			want++
		}
		conditions := objects[0]["status"].(map[string]any)["conditions"].([]any)
		if got := conditions[0].(map[string]any)["observedGeneration"]; got != want {
			t.Errorf("%s: the hook saw generation %v, want %v", test.reason, got, want)
		}
	}
}

// TestGenerationOfRecordedParents renders the unchanged parent of each recorded request.
func TestGenerationOfRecordedParents(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../test/testdata/memcached/sync/*/request.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded request: %v", err)
	}
	for _, file := range files {
		request, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var observed struct {
			Parent json.RawMessage `json:"parent"`
		}
		if err := json.Unmarshal(request, &observed); err != nil {
			t.Fatal(err)
		}
		objects, err := renderText(string(observed.Parent), request)
		if strings.Contains(file, "/network-policy-invalid") {
			if err == nil {
				t.Errorf("%s: no error for an invalid parent", file)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		want := objects[0]["metadata"].(map[string]any)["generation"]
		got := objects[0]["status"].(map[string]any)["conditions"].([]any)[0].(map[string]any)["observedGeneration"]
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: the hook saw generation %v, want %v", file, got, want)
		}
	}
}

// recorded returns the request of a parent without children.
func recorded(t *testing.T, kind schema.GroupVersionKind, spec string, generation int64) []byte {
	t.Helper()
	controller := controllerOf(kind)
	groups := func(keys []string) map[string]any {
		empty := map[string]any{}
		for _, key := range keys {
			empty[key] = map[string]any{}
		}
		return empty
	}
	request, err := json.Marshal(map[string]any{
		"parent": map[string]any{
			"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind,
			"metadata": map[string]any{"name": "a", "namespace": "web", "generation": generation},
			"spec":     json.RawMessage(spec),
		},
		"children":   groups(controller.Sync.Children),
		"related":    groups(controller.Sync.Related),
		"finalizing": false,
	})
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// controllerOf returns the controller of a kind of parents.
func controllerOf(kind schema.GroupVersionKind) composite.Controller {
	controllers := parents.Controllers(memcached.Config{})
	return controllers[slices.IndexFunc(controllers, func(c composite.Controller) bool { return c.Parent == kind })]
}
