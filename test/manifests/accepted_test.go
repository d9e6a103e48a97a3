package manifests

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestCustomResourceDefinitions checks that each CRD has what Metacontroller needs of a parent.
func TestCustomResourceDefinitions(t *testing.T) {
	for gvk, k := range kinds(t) {
		t.Run(gvk.String(), func(t *testing.T) {
			if k.version.Subresources == nil || k.version.Subresources.Status == nil {
				t.Error("the status subresource is missing: Metacontroller ignores the parent")
			}
			observed, ok := k.structural.Properties["status"].Properties["observedGeneration"]
			if !ok || observed.Type != "integer" {
				t.Error("the integer status.observedGeneration is missing: Metacontroller sets it, so every sync would write a pruned field")
			}
		})
	}
}

// TestSamples checks that the API server accepts the samples and keeps every field.
func TestSamples(t *testing.T) {
	known := kinds(t)
	for _, dir := range kustomizations(t, "manifests/samples") {
		for _, sample := range build(t, dir) {
			t.Run(sample.GetKind()+"/"+sample.GetName(), func(t *testing.T) {
				_, unknown, problems := kindOf(t, known, sample.Object).admit(t, sample.Object, nil)
				expectNone(t, "unknown field", unknown)
				expectNone(t, "problem", problems)
			})
		}
	}
}

// TestGoldenStatus checks that the API server stores every golden status unchanged. A pruned or defaulted field would differ
// from the next response, so every sync would write.
func TestGoldenStatus(t *testing.T) {
	known := kinds(t)
	files := append(glob(t, "test/testdata/*/sync/*/response.json"), glob(t, "test/testdata/*/finalize/*/response.json")...)
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(caseName(t, dir), func(t *testing.T) {
			request, response := readObject(t, filepath.Join(dir, "request.json")), readObject(t, file)
			parent, _, _ := unstructured.NestedMap(request, "parent")
			k := kindOf(t, known, parent)
			_, unknown, problems := k.admit(t, parent, nil)
			expectNone(t, "unknown field of the request's parent", unknown)
			expectNone(t, "problem of the request's parent", problems)

			status, ok, err := unstructured.NestedMap(response, "status")
			if err != nil || !ok {
				t.Fatalf("the response has no status, so Metacontroller would delete the status of the parent (%v)", err)
			}
			status["observedGeneration"], _, _ = unstructured.NestedInt64(parent, "metadata", "generation")
			sent := runtime.DeepCopyJSON(parent)
			sent["status"] = status
			stored, unknown, problems := k.admit(t, sent, parent)
			expectNone(t, "unknown field", unknown)
			expectNone(t, "problem", problems)
			if diff := cmp.Diff(status, stored["status"]); diff != "" {
				t.Errorf("the API server changes the status (-sent +stored):\n%s", diff)
			}
		})
	}
}

// caseName returns the path of a case below test/testdata.
func caseName(t *testing.T, dir string) string {
	t.Helper()
	name, err := filepath.Rel(filepath.Join(root, "test/testdata"), dir)
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
