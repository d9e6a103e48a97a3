// Package tutorials runs the commands of the pages for contributors in a copy of the repository.
package tutorials

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/internal/pages"
)

const root = "../.."

// tutorials are the pages whose commands all run.
var tutorials = []string{".github/CONTRIBUTING.md", "webhook/README.md"}

// TestTutorials runs all commands of the tutorials, in their order. They use the same copy, because a copy is compiled again.
func TestTutorials(t *testing.T) {
	t.Parallel()
	copied := copyOf(t)
	for _, page := range tutorials {
		blocks, err := pages.Blocks(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, block := range blocks {
			for _, command := range block.Commands() {
				count++
				if err := command.Run(t.Context(), copied, environment()); err != nil {
					t.Fatalf("%s: %v", block.Place, err)
				}
			}
		}
		if count < 5 {
			t.Errorf("%s has only %d commands", page, count)
		}
	}
}

// copyOf returns a copy of the repository in a temporary directory, with the tracked files as they are now. The copy is a Git
// repository, so that commands can show what changed.
func copyOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-ec", `
git ls-files --cached --others --exclude-standard -z | while read -rd '' file; do if [ -e "$file" ]; then printf '%s\0' "$file"; fi; done |
  tar --create --null --files-from - | tar --extract --directory "$0"
cd "$0"
git init --quiet
git add --all`, dir)
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("copy the repository: %v\n%s", err, output)
	}
	return dir
}

// environment returns variables with which the copy shares compiled packages with the other targets of the Makefile. Git must not use
// the repository that it was called from.
func environment() []string {
	var all []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "GIT_") {
			all = append(all, variable)
		}
	}
	return append(all, "CGO_ENABLED=0")
}
