package manifests

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yannh/kubeconform/pkg/validator"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/crds"
)

// TestJSONSchemas checks with kubeconform that the JSON schemas accept the samples and the golden statuses, and refuse mistakes.
func TestJSONSchemas(t *testing.T) {
	conform := kubeconform(t)
	for _, sample := range build(t, "manifests/samples") {
		expectNone(t, sample.GetName(), conform(t, sample.Object))
	}
	for _, file := range glob(t, "test/testdata/*/sync/*/response.json") {
		expectNone(t, file, conform(t, goldenParent(t, filepath.Dir(file)).Object))
	}
	cases := []struct{ reason, object, want string }{
		{"a misspelled field", "kind: Memcached\nspec: {size: 1, replicas: 2}", "additional properties 'replicas' not allowed"},
		{"a misspelled field of a field", "kind: Memcached\nspec: {size: 1, cache: {memoryMb: 2}}", "additional properties 'memoryMb' not allowed"},
		{"a misspelled field of an element", "kind: Memcached\nspec: {size: 1, tolerations: [{keys: a}]}", "additional properties 'keys' not allowed"},
		{"a misspelled field of the resource", "kind: Memcached\nspecs: {}\nspec: {size: 1}", "additional properties 'specs' not allowed"},
		{"a missing field", "kind: Memcached\nspec: {}", "missing property 'size'"},
		{"no spec", "kind: Memcached", "missing property 'spec'"},
		{"a string for a number", "kind: Memcached\nspec: {size: many}", "want integer"},
		{"a value that is not allowed", "kind: Memcached\nspec: {size: 1, workload: DaemonSet}", "must be one of"},
	}
	for _, test := range cases {
		var object map[string]any
		if err := yaml.Unmarshal([]byte("apiVersion: cache.example.com/v1alpha1\nmetadata: {name: a}\n"+test.object), &object); err != nil {
			t.Fatal(err)
		}
		if problems := conform(t, object); len(problems) != 1 || !strings.Contains(problems[0], test.want) {
			t.Errorf("%s: the problems are %q, want one with %q", test.reason, problems, test.want)
		}
	}
}

// kubeconform returns a function that returns the problems of an object by the JSON schemas.
func kubeconform(t *testing.T) func(t *testing.T, object map[string]any) []string {
	t.Helper()
	schemas, err := crds.JSONSchemas()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range schemas {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	conform, err := validator.New([]string{filepath.Join(dir, "{{.ResourceKind}}_{{.ResourceAPIVersion}}.json")}, validator.Opts{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, object map[string]any) []string {
		t.Helper()
		content, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var problems []string
		for _, result := range conform.Validate("object.yaml", io.NopCloser(bytes.NewReader(content))) {
			if result.Status != validator.Valid {
				problems = append(problems, result.Err.Error())
			}
		}
		return problems
	}
}
