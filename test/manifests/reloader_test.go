package manifests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

// TestReloaderImage checks that the reloader has the image of the hook, also if an overlay changes the image.
func TestReloaderImage(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "manifests/base/kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range glob(t, "manifests/base/*.yaml") {
		copied, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), copied, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range []string{"", "    newName: registry.example.com:5000/caches/operator\n"} {
		name := "  - name: ghcr.io/example/memcached-operator\n"
		changed := strings.Replace(string(content), name, name+image, 1)
		if image != "" && changed == string(content) {
			t.Fatalf("no line %q", name)
		}
		if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		spec := only[appsv1.Deployment](t, build(t, relative(t, repository, dir)), "Deployment").Spec.Template.Spec
		if got, want := argument(t, spec, "--operator-image="), spec.Containers[0].Image; got != want {
			t.Errorf("the hook has the image %s, but --operator-image is %s", want, got)
		}
	}
}
