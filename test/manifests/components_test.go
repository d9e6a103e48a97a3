package manifests

import (
	"path/filepath"
	"testing"
)

// TestComponents checks that each component builds with manifests/default.
func TestComponents(t *testing.T) {
	plain := len(build(t, "manifests/default"))
	for _, file := range glob(t, "manifests/components/*/kustomization.yaml") {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			components := []string{"components/" + name}
			if name == "client-certificate" || name == "token" {
				components = []string{"components/tls", "components/" + name} // both patch the endpoint that tls adds
			}
			if got := len(overlay(t, []string{"default"}, components)); got < plain {
				t.Errorf("%d objects with the component, but %d without it", got, plain)
			}
		})
	}
}
