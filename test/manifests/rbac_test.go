package manifests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// permission is one verb on one resource; a subresource is written resource/subresource.
type permission struct{ group, resource, verb string }

func (p permission) String() string {
	return fmt.Sprintf("%s %s %q", p.verb, p.resource, p.group)
}

func allow(group, resource string, verbs ...string) []permission {
	var permissions []permission
	for _, verb := range verbs {
		permissions = append(permissions, permission{group, resource, verb})
	}
	return permissions
}

// TestLeastPrivilege holds that the ClusterRole in the values for Metacontroller's chart allows what our controllers
// need, so that nothing fails in silence, and nothing else.
func TestLeastPrivilege(t *testing.T) {
	granted := grants(t)
	needed := sets.New(metacontrollerNeeds()...)
	for _, controller := range controllers(t) {
		needed.Insert(controllerNeeds(t, controller)...)
	}
	for missing := range needed.Difference(granted) {
		t.Errorf("metacontroller-values.yaml does not allow what a controller needs: %s", missing)
	}
	for extra := range granted.Difference(needed) {
		t.Errorf("metacontroller-values.yaml allows what no controller needs: %s", extra)
	}
}

// grants lists what the values file allows. A wildcard stands for itself, and so is never something needed.
func grants(t *testing.T) sets.Set[permission] {
	t.Helper()
	var values struct {
		ClusterRole rbacv1.ClusterRole `json:"clusterRole"`
	}
	convert(t, readObject(t, filepath.Join(root, "manifests/metacontroller-values.yaml")), &values)
	return permissions(t, values.ClusterRole.Rules)
}

// permissions lists what rules allow.
func permissions(t *testing.T, rules []rbacv1.PolicyRule) sets.Set[permission] {
	t.Helper()
	granted := sets.New[permission]()
	for _, rule := range rules {
		if len(rule.ResourceNames) > 0 || len(rule.NonResourceURLs) > 0 {
			t.Errorf("rule %v names objects or URLs, which this test does not judge", rule)
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				granted.Insert(allow(group, resource, rule.Verbs...)...)
			}
		}
	}
	return granted
}

// metacontrollerNeeds lists what Metacontroller 4.17 needs whatever its controllers are: it reads through caches,
// which list and watch.
func metacontrollerNeeds() []permission {
	var needs []permission
	for _, resource := range []string{"compositecontrollers", "decoratorcontrollers", "controllerrevisions"} {
		needs = append(needs, allow("metacontroller.k8s.io", resource, "list", "watch")...)
	}
	needs = append(needs, allow("apiextensions.k8s.io", "customresourcedefinitions", "list", "watch")...)
	needs = append(needs, allow("", "namespaces", "list", "watch")...)
	return append(needs, allow("", "events", "create", "patch")...)
}

// controllerNeeds lists what Metacontroller 4.17, with its default apply strategy, needs for one controller.
func controllerNeeds(t *testing.T, controller compositeController) []permission {
	t.Helper()
	parent := controller.Spec.ParentResource
	group := groupOf(t, parent.APIVersion)
	needs := allow(group, parent.Resource, "get", "list", "watch")
	needs = append(needs, allow(group, parent.Resource+"/status", "update")...)
	if len(controller.Spec.ChildResources) > 0 {
		// To set blockOwnerDeletion where the API server checks it.
		needs = append(needs, allow(group, parent.Resource+"/finalizers", "update")...)
	}
	if controller.Spec.Hooks.Finalize != nil {
		// To add and remove its finalizer.
		needs = append(needs, allow(group, parent.Resource, "update")...)
	}
	for _, child := range controller.Spec.ChildResources {
		// get and update also serve adoption and release.
		needs = append(needs, allow(groupOf(t, child.APIVersion), child.Resource, "get", "list", "watch", "create", "update", "delete")...)
		if strings.HasPrefix(child.UpdateStrategy.Method, "Rolling") {
			needs = append(needs, allow("metacontroller.k8s.io", "controllerrevisions", "create", "update", "delete")...)
		}
	}
	if controller.Spec.Hooks.Customize != nil {
		needs = append(needs, relatedNeeds(t, controller.Name)...)
	}
	return needs
}

// relatedNeeds lists what the rules that the customize hook answers make Metacontroller watch.
func relatedNeeds(t *testing.T, controller string) []permission {
	t.Helper()
	var needs []permission
	for _, file := range glob(t, "test/testdata/"+controller+"/customize/*/response.json") {
		var response struct {
			RelatedResources []struct {
				APIVersion string `json:"apiVersion"`
				Resource   string `json:"resource"`
			} `json:"relatedResources"`
		}
		convert(t, readObject(t, file), &response)
		for _, rule := range response.RelatedResources {
			needs = append(needs, allow(groupOf(t, rule.APIVersion), rule.Resource, "list", "watch")...)
		}
	}
	return needs
}

func groupOf(t *testing.T, apiVersion string) string {
	t.Helper()
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		t.Fatal(err)
	}
	return gv.Group
}
