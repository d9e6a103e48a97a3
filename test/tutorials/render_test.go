package tutorials

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/internal/pages"
)

// TestRenderedPage runs the commands of a page that shows what render prints for its YAML.
func TestRenderedPage(t *testing.T) {
	t.Parallel()
	blocks, err := pages.Blocks(filepath.Join(root, "manifests/docs/openshift.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, count := t.TempDir(), 0
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "bin", "memcached-operator"), root).CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, output)
	}
	for _, block := range blocks {
		if block.Language == "yaml" {
			if err := os.WriteFile(filepath.Join(dir, "cache.yaml"), []byte(strings.Join(block.Lines, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, command := range block.Commands() {
			count++
			if err := command.Run(t.Context(), dir, environment()); err != nil {
				t.Errorf("%s: %v", block.Place, err)
			}
		}
	}
	if count != 2 {
		t.Errorf("the page has %d commands, want render and one that looks at its output", count)
	}
}
