package manifests

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// TestDeclarations checks that hooks and manifests list the same kinds: those of the CompositeController, and then those that a component adds,
// because not every cluster has them. Metacontroller never deletes a child of a kind that the manifest does not list. It deletes every child of
// a kind that the hook does not return.
func TestDeclarations(t *testing.T) {
	known := kinds(t)
	manifests := find[compositeController](t, overlay(t, []string{"all"}, []string{"components/service-monitors"}), "CompositeController")
	served := parents.Controllers(memcached.Config{})
	if len(served) != len(manifests) {
		t.Errorf("%d controllers are served, %d have a manifest", len(served), len(manifests))
	}
	for _, controller := range served {
		i := slices.IndexFunc(manifests, func(c compositeController) bool { return c.Name == controller.Name })
		if i < 0 {
			t.Errorf("%s has no CompositeController of its name", controller.Name)
			continue
		}
		spec := manifests[i].Spec
		if want := [2]string{controller.Parent.GroupVersion().String(), known[controller.Parent].crd.Spec.Names.Plural}; want != [2]string{spec.ParentResource.APIVersion, spec.ParentResource.Resource} {
			t.Errorf("%s: the parent resource is %+v, want %q", controller.Name, spec.ParentResource, want)
		}
		var children []string
		for _, child := range spec.ChildResources {
			children = append(children, child.Resource+"."+child.APIVersion)
		}
		called := manifests[i].hooks()
		for name, hook := range map[string]composite.Hook{"sync": controller.Sync, "finalize": controller.Finalize, "customize": controller.Customize} {
			if (called[name] == nil) != hook.IsZero() {
				t.Errorf("%s: the manifest calls the %s hook: %t, the controller has it: %t", controller.Name, name, called[name] != nil, !hook.IsZero())
			}
			if diff := cmp.Diff(declared(hook), children); hook.Children != nil && diff != "" {
				t.Errorf("%s: child resources of the %s hook (-hook +manifests):\n%s", controller.Name, name, diff)
			}
		}
	}
}

// declared returns the resources that a hook observes, in the order of their declaration.
func declared(hook composite.Hook) (resources []string) {
	for _, key := range hook.Children {
		kind, apiVersion, _ := strings.Cut(key, ".")
		plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(apiVersion, kind))
		resources = append(resources, plural.Resource+"."+apiVersion)
	}
	return resources
}
