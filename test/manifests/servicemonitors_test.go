package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// TestServiceMonitors checks that the component adds ServiceMonitors to the child resources of Memcached, and grants
// Metacontroller the RBAC permissions for them.
func TestServiceMonitors(t *testing.T) {
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	overlay := t.TempDir()
	content := fmt.Sprintf("resources: [%[1]s/manifests/all]\ncomponents: [%[1]s/manifests/components/service-monitors]\n", relative(t, overlay, repository))
	if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	objects := build(t, relative(t, repository, overlay))
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

func relative(t *testing.T, from, to string) string {
	t.Helper()
	path, err := filepath.Rel(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
