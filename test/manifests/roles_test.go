package manifests

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

const aggregateTo = "rbac.authorization.k8s.io/aggregate-to-"

// TestRoles holds that whoever may view, edit or administrate a namespace may do the same with every kind that is
// served, and no more: a status is written by Metacontroller alone.
func TestRoles(t *testing.T) {
	view, edit := sets.New[permission](), sets.New[permission]()
	for gvk, k := range kinds(t) {
		resource := k.crd.Spec.Names.Plural
		view.Insert(allow(gvk.Group, resource, "get", "list", "watch")...)
		view.Insert(allow(gvk.Group, resource+"/status", "get")...)
		edit.Insert(allow(gvk.Group, resource, "create", "update", "patch", "delete", "deletecollection")...)
		if k.version.Subresources.Scale != nil {
			view.Insert(allow(gvk.Group, resource+"/scale", "get")...)
			edit.Insert(allow(gvk.Group, resource+"/scale", "update", "patch")...)
		}
	}
	edit = edit.Union(view)

	roles := find[rbacv1.ClusterRole](t, build(t, "manifests/rbac"), "ClusterRole")
	for name, want := range map[string]sets.Set[permission]{"view": view, "edit": edit, "admin": edit} {
		t.Run(name, func(t *testing.T) {
			granted := aggregated(t, roles, aggregateTo+name)
			for missing := range want.Difference(granted) {
				t.Errorf("the role does not allow to %s", missing)
			}
			for extra := range granted.Difference(want) {
				t.Errorf("the role allows what is not its business: %s", extra)
			}
		})
	}
}

// aggregated lists what the roles with a label allow, as the API server adds them up.
func aggregated(t *testing.T, roles []rbacv1.ClusterRole, label string) sets.Set[permission] {
	t.Helper()
	granted := sets.New[permission]()
	for _, role := range roles {
		if role.Labels[label] == "true" {
			granted = granted.Union(permissions(t, role.Rules))
		}
	}
	return granted
}

// TestRolesAreInstalled holds that whoever installs the hook can let others use it.
func TestRolesAreInstalled(t *testing.T) {
	for _, folder := range []string{"manifests/default", "manifests/all"} {
		if roles := find[rbacv1.ClusterRole](t, build(t, folder), "ClusterRole"); len(roles) == 0 {
			t.Errorf("%s installs no role: only a cluster administrator could apply a parent", folder)
		}
	}
}
