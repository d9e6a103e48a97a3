package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestImageBuildsFromAllPackages holds the Dockerfile and .dockerignore, which name folders one by one so that a change
// elsewhere builds no image anew, against what the program imports: a folder that is not copied breaks only the image.
func TestImageBuildsFromAllPackages(t *testing.T) {
	const module = "github.com/example/memcached-operator"
	list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", ".")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("list what the program imports: %v", err)
	}
	copied := matches(t, "Dockerfile", `(?m)^COPY ([a-z]+) [a-z]+$`)
	sent := matches(t, ".dockerignore", `(?m)^!([a-z]+)$`)
	for path := range strings.Lines(string(out)) {
		path, local := strings.CutPrefix(strings.TrimSpace(path), module+"/")
		if !local {
			continue
		}
		folder, _, _ := strings.Cut(path, "/")
		if !slices.Contains(copied, folder) {
			t.Errorf("the program imports %s, and the Dockerfile does not copy %s", path, folder)
		}
		if !slices.Contains(sent, folder) {
			t.Errorf("the program imports %s, and .dockerignore leaves %s out", path, folder)
		}
	}
}

// matches returns what the first group of a pattern matches in a file of the repository.
func matches(t *testing.T, file, pattern string) (found []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(content), -1) {
		found = append(found, match[1])
	}
	if len(found) == 0 {
		t.Fatalf("%s has no line like %s", file, pattern)
	}
	return found
}
