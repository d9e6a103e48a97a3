package manifests

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// TestServiceMonitors checks that the component adds ServiceMonitors to the child resources of Memcached, and grants
// Metacontroller the RBAC permissions for them.
func TestServiceMonitors(t *testing.T) {
	objects := overlay(t, []string{"all"}, []string{"components/service-monitors"})
	var kinds []string
	for _, controller := range find[compositeController](t, objects, "CompositeController") {
		for _, child := range controller.Spec.ChildResources {
			if groupOf(t, child.APIVersion) == "monitoring.coreos.com" {
				kinds = append(kinds, controller.Name+" "+child.Resource+" "+child.UpdateStrategy.Method)
			}
		}
	}
	if want := []string{"memcached servicemonitors InPlace"}; !slices.Equal(kinds, want) {
		t.Errorf("the CompositeControllers list %q, want %q", kinds, want)
	}
	granted := permissions(t, rulesOf(t, find[rbacv1.ClusterRole](t, objects, "ClusterRole"), "memcached-operator-metacontroller-servicemonitors"))
	for _, needed := range allow("monitoring.coreos.com", "servicemonitors", "get", "list", "watch", "create", "update", "delete") {
		if !granted.Has(needed) {
			t.Errorf("the ClusterRole does not grant %s", needed)
		}
	}
	if len(granted) != 6 {
		t.Errorf("the ClusterRole grants more than 6 permissions: %v", granted)
	}
}

func rulesOf(t *testing.T, roles []rbacv1.ClusterRole, name string) []rbacv1.PolicyRule {
	t.Helper()
	for _, role := range roles {
		if role.Name == name {
			return role.Rules
		}
	}
	t.Fatalf("no ClusterRole %s", name)
	return nil
}
