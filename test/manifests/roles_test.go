package manifests

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

const aggregateTo = "rbac.authorization.k8s.io/aggregate-to-"

// TestRoles checks which permissions the cluster roles view, edit and admin get for every kind. By default, all may only read. Only
// Metacontroller may write a status.
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

	for name, components := range map[string][]string{"default": nil, "with the component": {"components/aggregate-to-edit"}} {
		roles := find[rbacv1.ClusterRole](t, overlay(t, []string{"default"}, components), "ClusterRole")
		compareGrants(t, "memcached-operator-edit", edit.Difference(view).UnsortedList(), permissions(t, rulesOf(t, roles, "memcached-operator-edit")))
		want := map[string]sets.Set[permission]{"view": view, "edit": view, "admin": view}
		if components != nil {
			want["edit"], want["admin"] = edit, edit
		}
		for role, permissions := range want {
			compareGrants(t, name+": "+role, permissions.UnsortedList(), aggregated(t, roles, aggregateTo+role))
		}
	}
}

// aggregated returns the permissions of all roles with a label, as the API server aggregates them.
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
