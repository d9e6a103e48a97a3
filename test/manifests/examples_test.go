package manifests

import (
	"maps"
	"slices"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	markdown "github.com/example/memcached-operator/test/internal/pages"
)

// TestExamples holds that the objects which pages show are what the API server takes: people copy them.
func TestExamples(t *testing.T) {
	known := kinds(t)
	shown := map[string]int{}
	for _, file := range pages(t) {
		for _, block := range blocks(t, file, "yaml") {
			object := decode(t, file, []byte(block))
			kind, _ := object["kind"].(string)
			shown[kind]++
			switch {
			case slices.Contains([]string{"Memcached", "Nginx", "CustomImageDeploy", "Xca"}, kind):
				_, unknown, problems := kindOf(t, known, object).admit(t, object, nil)
				expectNone(t, file+": unknown field", unknown)
				expectNone(t, file+": problem", problems)
			case kind == "HorizontalPodAutoscaler":
				find[autoscalingv2.HorizontalPodAutoscaler](t, []*unstructured.Unstructured{{Object: object}}, kind)
			case kind == "Certificate":
				find[certificate](t, []*unstructured.Unstructured{{Object: object}}, kind)
			case kind == "" && object["spec"] != nil:
				spec := map[string]any{"size": int64(3)} // a snippet for a cache that exists need not show it
				maps.Copy(spec, object["spec"].(map[string]any))
				whole := map[string]any{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": map[string]any{"name": "shown"}, "spec": spec}
				_, unknown, problems := kindOf(t, known, whole).admit(t, whole, nil)
				expectNone(t, file+": unknown field", unknown)
				expectNone(t, file+": problem", problems)
			case object["resources"] != nil:
				var kustomization types.Kustomization
				if err := yaml.UnmarshalStrict([]byte(block), &kustomization); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	}
	if shown["Memcached"] < 2 || shown["HorizontalPodAutoscaler"] == 0 {
		t.Errorf("the pages show %v", shown)
	}
}

// pages returns the Markdown files of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := markdown.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// blocks returns the code of one language that a page shows.
func blocks(t *testing.T, file, language string) []string {
	t.Helper()
	all, err := markdown.Blocks(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, block := range all {
		if block.Language == language {
			found = append(found, block.Text())
		}
	}
	return found
}
