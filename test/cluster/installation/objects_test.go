package installation

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// expect checks that a request is refused with a text, or accepted if the text is empty.
func expect(t *testing.T, reason string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: want %q, got %v", reason, want, err)
	}
}

func decode(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(raw); err != nil {
		t.Fatalf("%v\n%s", err, manifest)
	}
	return object
}

// set replaces a field. value is YAML, and null removes the field.
func set(t *testing.T, object *unstructured.Unstructured, path, value string) {
	t.Helper()
	var parsed any
	if err := yaml.Unmarshal([]byte(value), &parsed); err != nil {
		t.Fatal(err)
	}
	fields := strings.Split(path, ".")
	if parsed == nil {
		unstructured.RemoveNestedField(object.Object, fields...)
		return
	}
	parsed = decode(t, "{apiVersion: v1, kind: Value, value: "+value+"}").Object["value"] // with the number types of unstructured
	if err := unstructured.SetNestedField(object.Object, parsed, fields...); err != nil {
		t.Fatal(err)
	}
}
