//go:build !race

package golden

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// TestNamesOfChildren checks that the CRD refuses each name of a Memcached that a child of another one could have.
func TestNamesOfChildren(t *testing.T) {
	t.Parallel()
	controller := memcached.Controller(memcached.Config{OperatorImage: operatorImage})
	for _, f := range syncFixtures(t) {
		if f.controller != controller.Name {
			continue
		}
		parent := parse(t, f.request)["parent"].(map[string]any)["metadata"].(map[string]any)["name"].(string)
		children, err := childrenOf(controller, f, bytes.NewReader(f.request))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		for _, child := range children {
			_, name, _ := strings.Cut(child, " ")
			if added, found := strings.CutPrefix(name, parent); !found || added != "" && !slices.Contains(proxy.NameSuffixes, added) {
				t.Errorf("%s: Memcached %s has the child %s, whose name is not reserved", f.name, parent, child)
			}
		}
	}
}
