package test

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

// compositeController holds the part of a CompositeController that has to agree with the hooks.
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

// TestDeclarations holds what the hooks declare against what the manifests list, both ways: a child of a kind that is
// not listed is created and never deleted, and a kind that is listed but not observed is deleted at once.
func TestDeclarations(t *testing.T) {
	manifests, err := filepath.Glob("../manifests/controllers/*/compositecontroller.yaml")
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
			t.Errorf("%s: the parent's resource (-hook +manifest):\n%s", controller.Name, diff)
		}
		for _, hook := range []composite.Hook{controller.Sync, controller.Finalize} {
			if diff := cmp.Diff(declared(hook), manifest.Spec.ChildResources); hook.Children != nil && diff != "" {
				t.Errorf("%s: the kinds of children (-hook +manifest):\n%s", controller.Name, diff)
			}
		}
		for name, hook := range map[string]composite.Hook{"sync": controller.Sync, "finalize": controller.Finalize, "customize": controller.Customize} {
			if called := manifest.Spec.Hooks[name] != nil; called == hook.IsZero() {
				t.Errorf("%s: the manifest calls the %s hook: %t, the controller has it: %t", controller.Name, name, called, !hook.IsZero())
			}
		}
	}
}

// TestOptionalDeclarations holds the kinds that a cluster may not have against the components that list them.
func TestOptionalDeclarations(t *testing.T) {
	listed := map[string][]resource{}
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
			listed[patch.Target.Name] = append(listed[patch.Target.Name], operation.Value)
		}
	}
	for _, controller := range parents.Controllers(memcached.Config{}) {
		var optional []resource
		for _, key := range controller.Sync.Optional {
			optional = append(optional, resourceNamed(key))
		}
		if diff := cmp.Diff(optional, listed[controller.Name]); diff != "" {
			t.Errorf("%s: kinds that need not be there (-hook +components):\n%s", controller.Name, diff)
		}
	}
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
	files, err := filepath.Glob("../manifests/components/*/kustomization.yaml")
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

// parentResource names the parent's resource as its CustomResourceDefinition does: a plural may be any word.
func parentResource(t *testing.T, controller composite.Controller) resource {
	t.Helper()
	files, err := fs.Glob(crds.Files, controller.Name+"/*.yaml")
	if err != nil || len(files) != 1 {
		t.Fatalf("%s has the CustomResourceDefinitions %v, want one (%v)", controller.Name, files, err)
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

// declared returns the resources of the groups that a hook observes, in the order in which it declares them. Those of a
// kind that a cluster may not have are listed by a component, if at all.
func declared(hook composite.Hook) []resource {
	var resources []resource
	for _, key := range hook.Children {
		if slices.Contains(hook.Optional, key) {
			continue
		}
		resources = append(resources, resourceNamed(key))
	}
	return resources
}

// resourceNamed is the resource of a group's name, as Deployment.apps/v1.
func resourceNamed(key string) resource {
	kind, apiVersion, _ := strings.Cut(key, ".")
	groupVersion, _ := schema.ParseGroupVersion(apiVersion)
	return resourceOf(groupVersion.WithKind(kind))
}

func resourceOf(kind schema.GroupVersionKind) resource {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return resource{APIVersion: kind.GroupVersion().String(), Resource: plural.Resource}
}
