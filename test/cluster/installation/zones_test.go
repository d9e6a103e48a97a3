package installation

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestZones checks the sample with one cache in each zone. Since Kubernetes 1.35, pods have the label with their zone, which
// the page about clients uses.
func TestZones(t *testing.T) {
	kubectl(t, "apply", "--kustomize", filepath.Join(root, "manifests/samples/zones"))
	for _, zone := range []string{"zone-a", "zone-b", "zone-c"} {
		kubectl(t, "wait", "--for=condition=Ready", "memcached/cache-"+zone, "--timeout=2m")
		pods := kubectl(t, "get", "pods", "--selector", "memcached_cr=cache-"+zone+",topology.kubernetes.io/zone="+zone, "--output", "name")
		if got := len(strings.Fields(pods)); got != 2 {
			t.Errorf("cache-%s has %d pods in %s, want 2", zone, got, zone)
		}
	}
}
