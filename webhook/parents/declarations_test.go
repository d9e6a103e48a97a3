package parents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/crds"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// compositeController has the fields of a CompositeController that must match the hooks.
type compositeController struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		ParentResource resource       `json:"parentResource"`
		ChildResources []resource     `json:"childResources"`
		Hooks          map[string]any `json:"hooks"`
	} `json:"spec"`
}

type resource struct {
	APIVersion string `json:"apiVersion"`
	Resource   string `json:"resource"`
}

// TestDeclarations checks that hooks and manifests list the same kinds: those of the CompositeController, and then those that
// components add, because not every cluster has them. Metacontroller never deletes a child of a kind that the manifest does not
// list. It deletes every child of a kind that the hook does not return.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	manifests, err := filepath.Glob("../../manifests/controllers/*/compositecontroller.yaml")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]compositeController{}
	for _, manifest := range manifests {
		content, err := os.ReadFile(manifest)
		if err != nil {
			t.Fatal(err)
		}
		var controller compositeController
		if err := yaml.Unmarshal(content, &controller); err != nil {
			t.Fatalf("%s: %v", manifest, err)
		}
		listed[controller.Metadata.Name] = controller
	}
	added := addedByComponents(t)
	served := parents.Controllers(memcached.Config{})
	if len(served) != len(listed) {
		t.Errorf("%d controllers are served, %d have a manifest", len(served), len(listed))
	}
	for _, controller := range served {
		manifest, found := listed[controller.Name]
		if !found {
			t.Errorf("%s has no CompositeController of its name", controller.Name)
			continue
		}
		if diff := cmp.Diff(parentResource(t, controller), manifest.Spec.ParentResource); diff != "" {
			t.Errorf("%s: parent resource (-hook +manifest):\n%s", controller.Name, diff)
		}
		for _, hook := range []composite.Hook{controller.Sync, controller.Finalize} {
			children := slices.Concat(manifest.Spec.ChildResources, added[controller.Name])
			if diff := cmp.Diff(declared(hook), children); hook.Children != nil && diff != "" {
				t.Errorf("%s: child resources (-hook +manifests):\n%s", controller.Name, diff)
			}
		}
		for name, hook := range map[string]composite.Hook{"sync": controller.Sync, "finalize": controller.Finalize, "customize": controller.Customize} {
			if called := manifest.Spec.Hooks[name] != nil; called == hook.IsZero() {
				t.Errorf("%s: the manifest calls the %s hook: %t, the controller has it: %t", controller.Name, name, called, !hook.IsZero())
			}
		}
	}
}

// addedByComponents returns the child resources that components add to each CompositeController.
func addedByComponents(t *testing.T) map[string][]resource {
	t.Helper()
	added := map[string][]resource{}
	for _, patch := range componentPatches(t) {
		var operations []struct {
			Path  string   `json:"path"`
			Value resource `json:"value"`
		}
		if patch.Target.Kind != "CompositeController" || !strings.Contains(patch.Patch, "/spec/childResources") {
			continue
		}
		if err := yaml.Unmarshal([]byte(patch.Patch), &operations); err != nil {
			t.Fatalf("%s: %v", patch.Patch, err)
		}
		for _, operation := range operations {
			added[patch.Target.Name] = append(added[patch.Target.Name], operation.Value)
		}
	}
	return added
}

type patch struct {
	Target struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"target"`
	Patch string `json:"patch"`
}

func componentPatches(t *testing.T) []patch {
	t.Helper()
	files, err := filepath.Glob("../../manifests/components/*/kustomization.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no component: %v", err)
	}
	var patches []patch
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var component struct {
			Patches []patch `json:"patches"`
		}
		if err := yaml.Unmarshal(content, &component); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		patches = append(patches, component.Patches...)
	}
	return patches
}

// parentResource returns the resource of a parent. It reads the plural from the CRD, because a plural can be any word.
func parentResource(t *testing.T, controller composite.Controller) resource {
	t.Helper()
	files, err := fs.Glob(crds.Files, controller.Name+"/*.yaml")
	if err != nil || len(files) != 1 {
		t.Fatalf("%s has the CRD files %v, want one (%v)", controller.Name, files, err)
	}
	content, err := crds.Files.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var definition struct {
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Plural string `json:"plural"`
			} `json:"names"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(content, &definition); err != nil {
		t.Fatalf("%s: %v", files[0], err)
	}
	return resource{APIVersion: definition.Spec.Group + "/" + controller.Parent.Version, Resource: definition.Spec.Names.Plural}
}

// declared returns the resources that a hook observes, in the order of their declaration.
func declared(hook composite.Hook) []resource {
	var resources []resource
	for _, key := range hook.Children {
		kind, apiVersion, _ := strings.Cut(key, ".")
		plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(apiVersion, kind))
		resources = append(resources, resource{APIVersion: apiVersion, Resource: plural.Resource})
	}
	return resources
}
