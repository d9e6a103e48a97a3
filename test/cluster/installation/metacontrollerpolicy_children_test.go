package installation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestMetacontrollerPolicyAllowsChildren checks that the policy allows all children of the golden responses and of the samples.
func TestMetacontrollerPolicyAllowsChildren(t *testing.T) {
	var children []*unstructured.Unstructured
	files, err := filepath.Glob(filepath.Join(root, "test/testdata/*/sync/*/response.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		children = append(children, responseOf(t, file)...)
	}
	samples, err := filepath.Glob(filepath.Join(root, "manifests/samples/*_*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range samples {
		for _, document := range strings.Split(render(t, file), "\n---\n")[1:] { // the first is the parent
			children = append(children, decode(t, document))
		}
	}
	if len(children) < 50 {
		t.Fatalf("only %d children", len(children))
	}
	t.Logf("%d children", len(children))
	caller := metacontroller(t)
	for _, child := range children {
		child.SetNamespace("default")
		child.SetName("policy-" + child.GetName()) // no object of another test
		child.SetOwnerReferences(decode(t, deployment).GetOwnerReferences())
		expect(t, child.GetKind()+" "+child.GetName(), caller.Create(t.Context(), child, client.DryRunAll), "")
	}
}

// responseOf returns the whole children of a golden response; some responses have only names.
func responseOf(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var response struct {
		Children []json.RawMessage `json:"children"`
	}
	if err := json.Unmarshal(content, &response); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var children []*unstructured.Unstructured
	for _, raw := range response.Children {
		object := map[string]any{}
		if json.Unmarshal(raw, &object) == nil && object["spec"] != nil {
			children = append(children, &unstructured.Unstructured{Object: object})
		}
	}
	return children
}
