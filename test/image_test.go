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

// TestImageBuildsFromAllPackages checks that Dockerfile and .dockerignore name every directory that the program imports.
// They name each directory so that other changes do not invalidate the build cache.
func TestImageBuildsFromAllPackages(t *testing.T) {
	const module = "github.com/example/memcached-operator"
	list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", ".")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("listing the imports of the program: %v", err)
	}
	copied := matches(t, "Dockerfile", `(?m)^COPY ([a-z]+) [a-z]+$`)
	sent := matches(t, ".dockerignore", `(?m)^!([a-z]+)$`)
	for path := range strings.Lines(string(out)) {
		path, local := strings.CutPrefix(strings.TrimSpace(path), module+"/")
		if !local {
			continue
		}
		dir, _, _ := strings.Cut(path, "/")
		if !slices.Contains(copied, dir) {
			t.Errorf("the program imports %s, but the Dockerfile does not copy %s", path, dir)
		}
		if !slices.Contains(sent, dir) {
			t.Errorf("the program imports %s, but .dockerignore excludes %s", path, dir)
		}
	}
}

// matches returns the matches of the first group of a pattern in a file of the repository.
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
