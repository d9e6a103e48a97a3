package manifests

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
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
				if strings.Contains(block, inClone) {
					expectImage(t, file, block)
				}
			}
		}
	}
	if shown["Memcached"] < 2 || shown["HorizontalPodAutoscaler"] == 0 {
		t.Errorf("the pages show %v", shown)
	}
}

// TestPipedObjects holds that what a command of a page pipes to kubectl is valid JSON if it begins like it: kubectl before 1.33 does not take it
// as YAML then.
func TestPipedObjects(t *testing.T) {
	known, piped := kinds(t), regexp.MustCompile(`echo '(\{[^']+)' \|\s+kubectl`)
	shown := 0
	for _, file := range pages(t) {
		for _, block := range blocks(t, file, "sh") {
			for _, match := range piped.FindAllStringSubmatch(block, -1) {
				if !json.Valid([]byte(match[1])) {
					t.Errorf("%s: %s is not JSON", file, match[1])
				}
				shown++
				object := decode(t, file, []byte(match[1]))
				_, unknown, problems := kindOf(t, known, object).admit(t, object, nil)
				expectNone(t, file+": unknown field", unknown)
				expectNone(t, file+": problem", problems)
			}
		}
	}
	if shown < 2 {
		t.Errorf("the pages pipe %d objects, want at least 2", shown)
	}
}

// inClone begins the resources of a kustomization in a directory of a clone.
const inClone = "../manifests/"

// shownOperator builds a kustomization that a page shows, and returns the pod of the operator.
func shownOperator(t *testing.T, kustomization string) corev1.PodSpec {
	t.Helper()
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	content := strings.ReplaceAll(kustomization, inClone, relative(t, dir, filepath.Join(repository, "manifests"))+"/")
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return find[appsv1.Deployment](t, build(t, relative(t, repository, dir)), "Deployment")[0].Spec.Template.Spec
}

// expectImage expects --operator-image to be the image of the operator in a kustomization that a page shows.
func expectImage(t *testing.T, file, block string) {
	t.Helper()
	operator := shownOperator(t, block).Containers[0]
	if flag := "--operator-image=" + operator.Image; !strings.HasPrefix(operator.Image, "registry.example.com/") || !slices.Contains(operator.Args, flag) {
		t.Errorf("%s: the operator has the image %s and the arguments %q, want %s", file, operator.Image, operator.Args, flag)
	}
}

// TestOpenShiftPatch checks that no ID is left in the operator of the production manifests: the SCC assigns all IDs, and rejects others.
func TestOpenShiftPatch(t *testing.T) {
	for _, block := range blocks(t, filepath.Join(root, "manifests/docs/openshift.md"), "yaml") {
		if !strings.HasPrefix(block, "patches:") {
			continue
		}
		if ids := shownOperator(t, "resources: ["+inClone+"production]\n"+block).SecurityContext; ids.RunAsUser != nil || ids.RunAsGroup != nil || ids.FSGroup != nil {
			t.Errorf("the operator has the IDs %+v, want none", ids)
		}
		return
	}
	t.Error("the page has no patch")
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
