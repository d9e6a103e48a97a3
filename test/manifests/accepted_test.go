package manifests

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestCustomResourceDefinitions holds what Metacontroller needs of a parent's definition, beside its being valid.
func TestCustomResourceDefinitions(t *testing.T) {
	for gvk, k := range kinds(t) {
		t.Run(gvk.String(), func(t *testing.T) {
			if k.version.Subresources == nil || k.version.Subresources.Status == nil {
				t.Error("no status subresource: Metacontroller ignores such a parent")
			}
			observed, ok := k.structural.Properties["status"].Properties["observedGeneration"]
			if !ok || observed.Type != "integer" {
				t.Error("no integer status.observedGeneration: Metacontroller sets it, and if it is pruned every sync writes")
			}
		})
	}
}

// TestSamples holds that what we tell people to apply is accepted, and every field of it kept.
func TestSamples(t *testing.T) {
	known := kinds(t)
	for _, sample := range build(t, "manifests/samples") {
		t.Run(sample.GetKind()+"/"+sample.GetName(), func(t *testing.T) {
			_, unknown, problems := kindOf(t, known, sample.Object).admit(t, sample.Object, nil)
			expectNone(t, "unknown field", unknown)
			expectNone(t, "problem", problems)
		})
	}
}

// TestGoldenStatus holds that the API server stores every status that the hooks answer exactly as it was answered.
// A field dropped or defaulted there would differ from the next answer: a write at every sync, without end.
func TestGoldenStatus(t *testing.T) {
	known := kinds(t)
	files := append(glob(t, "test/testdata/*/sync/*/response.json"), glob(t, "test/testdata/*/finalize/*/response.json")...)
	for _, file := range files {
		folder := filepath.Dir(file)
		t.Run(caseName(t, folder), func(t *testing.T) {
			request, response := readObject(t, filepath.Join(folder, "request.json")), readObject(t, file)
			parent, _, _ := unstructured.NestedMap(request, "parent")
			k := kindOf(t, known, parent)
			_, unknown, problems := k.admit(t, parent, nil)
			expectNone(t, "unknown field of the request's parent", unknown)
			expectNone(t, "problem of the request's parent", problems)

			status, ok, err := unstructured.NestedMap(response, "status")
			if err != nil || !ok {
				t.Fatalf("response has no status: Metacontroller would wipe the parent's (%v)", err)
			}
			status["observedGeneration"], _, _ = unstructured.NestedInt64(parent, "metadata", "generation")
			sent := runtime.DeepCopyJSON(parent)
			sent["status"] = status
			stored, unknown, problems := k.admit(t, sent, parent)
			expectNone(t, "unknown field", unknown)
			expectNone(t, "problem", problems)
			if diff := cmp.Diff(status, stored["status"]); diff != "" {
				t.Errorf("the API server stores another status than it was sent (-sent +stored):\n%s", diff)
			}
		})
	}
}

// caseName is the name of a case's folder below test/testdata, which is also its URL.
func caseName(t *testing.T, folder string) string {
	t.Helper()
	name, err := filepath.Rel(filepath.Join(root, "test/testdata"), folder)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

func expectNone(t *testing.T, what string, found []string) {
	t.Helper()
	for _, each := range found {
		t.Errorf("%s: %s", what, each)
	}
}
