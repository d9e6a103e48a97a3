package manifests

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// otherVersions are modules of which a nested module needs another version than the root module.
var otherVersions = map[string]string{
	// promtool does not compile with v1.25.0.
	"github.com/prometheus/client_golang": "test/monitoring",
	"github.com/prometheus/common":        "test/monitoring",
}

// TestModulesShareVersions checks that nested modules use the modules of the root in the same version: then a package compiles once. With
// another version of a module on which k8s.io/apimachinery depends, almost 400 packages compile twice.
func TestModulesShareVersions(t *testing.T) {
	versions := versionsIn(t, ".")
	for _, nested := range []string{"test/manifests", "test/monitoring", "test/clients", "test/cluster", "test/cluster/programs"} {
		for module, version := range versionsIn(t, nested) {
			if want, shared := versions[module]; shared && version != want && otherVersions[module] != nested {
				t.Errorf("%s/go.mod has %s %s, want %s as in go.mod", nested, module, version, want)
			}
		}
	}
}

// requirement matches a line of a block of requirements.
var requirement = regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`)

func versionsIn(t *testing.T, directory string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, directory, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, match := range requirement.FindAllSubmatch(content, -1) {
		versions[string(match[1])] = string(match[2])
	}
	if len(versions) == 0 {
		t.Fatalf("%s/go.mod has no requirement", directory)
	}
	return versions
}
