// Package manifests tests what a cluster is given, without a cluster: that every kustomization builds, that the
// API server would accept and keep every sample and every status the hooks answer, that bad parents are refused
// with a sentence, and that the promises of security and least privilege hold.
package manifests

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// root is the repository, as seen from this folder.
const root = "../.."

// glob returns the files that match a pattern below the root. Finding none is a failure: a test over no files
// passes without having tested anything.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil {
		t.Fatalf("glob %s: %v", pattern, err)
	}
	if len(files) == 0 {
		t.Fatalf("no file matches %s", pattern)
	}
	return files
}

// read decodes a YAML or JSON file into a value and refuses fields that the value does not have.
func read(t *testing.T, file string, into any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(raw, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// readObject decodes a YAML or JSON file as the API server would: whole numbers are int64.
func readObject(t *testing.T, file string) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, file, raw)
}

func decode(t *testing.T, file string, raw []byte) map[string]any {
	t.Helper()
	doc, err := yaml.YAMLToJSONStrict(raw)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var object map[string]any
	if err := json.Unmarshal(doc, &object); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return object
}

// convert reads an object into a Go value and leaves out what the value has no field for.
func convert(t *testing.T, object map[string]any, into any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, into); err != nil {
		t.Fatal(err)
	}
}

// build returns the objects of a kustomization, named by its folder below the root.
func build(t *testing.T, folder string) []*unstructured.Unstructured {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(root, folder))
	if err != nil {
		t.Fatalf("build %s: %v", folder, err)
	}
	var objects []*unstructured.Unstructured
	for _, resource := range built.Resources() {
		raw, err := resource.AsYAML()
		if err != nil {
			t.Fatalf("build %s: encode %s: %v", folder, resource.CurId(), err)
		}
		objects = append(objects, &unstructured.Unstructured{Object: decode(t, folder, raw)})
	}
	return objects
}

// overlay builds a kustomization with resources and components, which are directories below manifests.
func overlay(t *testing.T, resources, components []string) []*unstructured.Unstructured {
	t.Helper()
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	up := relative(t, dir, filepath.Join(repository, "manifests"))
	paths := map[string][]string{}
	for _, each := range resources {
		paths["resources"] = append(paths["resources"], path.Join(up, each))
	}
	for _, each := range components {
		paths["components"] = append(paths["components"], path.Join(up, each))
	}
	content, err := yaml.Marshal(paths)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return build(t, relative(t, repository, dir))
}

func relative(t *testing.T, from, to string) string {
	t.Helper()
	way, err := filepath.Rel(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return way
}

// find returns the objects of one kind as values of its Go type, which refuses fields that the type does not have.
func find[T any](t *testing.T, objects []*unstructured.Unstructured, kind string) []T {
	t.Helper()
	var found []T
	for _, object := range objects {
		if object.GetKind() != kind {
			continue
		}
		var typed T
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &typed, true); err != nil {
			t.Fatalf("%s %s: %v", kind, object.GetName(), err)
		}
		found = append(found, typed)
	}
	return found
}
