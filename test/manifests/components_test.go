package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestComponents checks that each component builds with manifests/default.
func TestComponents(t *testing.T) {
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	plain := len(build(t, "manifests/default"))
	for _, file := range glob(t, "manifests/components/*/kustomization.yaml") {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			overlay := t.TempDir()
			from, err := filepath.Rel(overlay, repository)
			if err != nil {
				t.Fatal(err)
			}
			needed := ""
			if name == "client-certificate" || name == "token" {
				needed = from + "/manifests/components/tls, " // both patch the endpoint that tls adds
			}
			content := fmt.Sprintf("resources: [%[1]s/manifests/default]\ncomponents: [%[3]s%[1]s/manifests/components/%[2]s]\n", from, name, needed)
			if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			below, err := filepath.Rel(repository, overlay)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(build(t, below)); got < plain {
				t.Errorf("%d objects with the component, but %d without it", got, plain)
			}
		})
	}
}
