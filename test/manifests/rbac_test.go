package manifests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// permission is a verb on a resource or on a subresource, which is written as resource/subresource.
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

// TestLeastPrivilege checks that metacontroller-values.yaml grants exactly what Metacontroller needs without any controller, and
// that the ClusterRole of each controller grants exactly what Metacontroller needs for this controller.
func TestLeastPrivilege(t *testing.T) {
	compareGrants(t, "metacontroller-values.yaml", metacontrollerNeeds(), grants(t))
	for _, controller := range controllers(t) {
		objects := build(t, "manifests/controllers/"+controller.Name)
		role, binding := only[rbacv1.ClusterRole](t, objects, "ClusterRole"), only[rbacv1.ClusterRoleBinding](t, objects, "ClusterRoleBinding")
		compareGrants(t, role.Name, controllerNeeds(t, controller), permissions(t, role.Rules))
		want := []rbacv1.Subject{{Kind: "ServiceAccount", Name: "metacontroller", Namespace: "metacontroller"}}
		if diff := cmp.Diff(want, binding.Subjects); diff != "" || binding.RoleRef.Name != role.Name {
			t.Errorf("%s: the role is %s, and the subjects differ (-want +got):\n%s", binding.Name, binding.RoleRef.Name, diff)
		}
	}
}

func compareGrants(t *testing.T, role string, needs []permission, granted sets.Set[permission]) {
	t.Helper()
	needed := sets.New(needs...)
	for missing := range needed.Difference(granted) {
		t.Errorf("%s does not grant a permission that Metacontroller needs: %s", role, missing)
	}
	for extra := range granted.Difference(needed) {
		t.Errorf("%s grants a permission that Metacontroller does not need: %s", role, extra)
	}
}

// grants returns the permissions in metacontroller-values.yaml. A wildcard matches only itself, so no controller needs it.
func grants(t *testing.T) sets.Set[permission] {
	t.Helper()
	var values struct {
		ClusterRole rbacv1.ClusterRole `json:"clusterRole"`
	}
	convert(t, readObject(t, filepath.Join(root, "manifests/metacontroller-values.yaml")), &values)
	return permissions(t, values.ClusterRole.Rules)
}

// permissions returns the permissions that rules grant.
func permissions(t *testing.T, rules []rbacv1.PolicyRule) sets.Set[permission] {
	t.Helper()
	granted := sets.New[permission]()
	for _, rule := range rules {
		if len(rule.ResourceNames) > 0 || len(rule.NonResourceURLs) > 0 {
			t.Errorf("rule %v has resourceNames or nonResourceURLs, which this test does not support", rule)
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				granted.Insert(allow(group, resource, rule.Verbs...)...)
			}
		}
	}
	return granted
}

// metacontrollerNeeds returns the permissions that Metacontroller 4.17 needs with any controllers. It reads through caches,
// which need list and watch.
func metacontrollerNeeds() []permission {
	var needs []permission
	for _, resource := range []string{"compositecontrollers", "decoratorcontrollers", "controllerrevisions"} {
		needs = append(needs, allow("metacontroller.k8s.io", resource, "list", "watch")...)
	}
	needs = append(needs, allow("apiextensions.k8s.io", "customresourcedefinitions", "list", "watch")...)
	needs = append(needs, allow("", "namespaces", "list", "watch")...)
	return append(needs, allow("", "events", "create", "patch")...)
}

// controllerNeeds returns the permissions that Metacontroller 4.17 needs for a controller, with the default apply strategy.
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
		// Metacontroller uses get and update also to adopt and release children.
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

// relatedNeeds returns the permissions to watch the related resources of the customize hook.
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
