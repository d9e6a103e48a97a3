package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

// TestOperatorImage checks that a kustomization that sets the image of the operator, and nothing else, also sets the one in the pods of caches.
func TestOperatorImage(t *testing.T) {
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, installation := range []string{"default", "production", "minimal", "all"} {
		for images, want := range map[string]string{
			"[]": "ghcr.io/example/memcached-operator:v0.1.0",
			"[{name: ghcr.io/example/memcached-operator, newName: registry.example.com:5000/operator, newTag: v9}]": "registry.example.com:5000/operator:v9",
		} {
			dir := t.TempDir()
			content := fmt.Sprintf("resources: [%s]\nimages: %s\n", relative(t, dir, filepath.Join(repository, "manifests", installation)), images)
			if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			spec := only[appsv1.Deployment](t, build(t, relative(t, repository, dir)), "Deployment").Spec.Template.Spec
			if image, argument := spec.Containers[0].Image, argument(t, spec, "--operator-image="); image != want || argument != want {
				t.Errorf("%s with the images %s: the operator has the image %s and --operator-image=%s, want %s", installation, images, image, argument, want)
			}
		}
	}
}
