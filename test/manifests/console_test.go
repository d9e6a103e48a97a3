package manifests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// consoles are commands of pages that need no cluster: some console blocks of a page, without the commands that need one.
var consoles = []struct {
	why, page   string
	first, last int
	without     string
	prepare     func(t *testing.T) (dir string)
}{
	{"a first change works as it is written", ".github/CONTRIBUTING.md", 0, 1, "", copyOfRepository},
	{"render names the misspelled field and the missing one", "manifests/docs/ci.md", 0, 0, "kustomize", misspelledCache},
	{"git compares what the operator creates", "manifests/docs/ci.md", 1, 1, "", editedCache},
}

// TestConsoles runs commands of pages, and compares their output with that of the page.
func TestConsoles(t *testing.T) {
	for _, test := range consoles {
		dir := test.prepare(t)
		for _, block := range blocks(t, filepath.Join(root, test.page), "console")[test.first : test.last+1] {
			for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
				line, want, _ := strings.Cut(part, "\n")
				if test.without != "" && strings.HasPrefix(line, test.without) {
					continue
				}
				expectOutput(t, test.why, line, want, run(t, dir, line))
			}
		}
	}
}

// durations matches what differs between two runs.
var durations = regexp.MustCompile(`[0-9.]+s\b|\(cached\)`)

// expectOutput compares the output of a command with the lines that a page shows of it.
func expectOutput(t *testing.T, why, line, want, got string) {
	t.Helper()
	rest := durations.ReplaceAllString(got, "")
	for shown := range strings.Lines(durations.ReplaceAllString(want, "")) {
		_, after, found := strings.Cut(rest, strings.TrimSpace(shown))
		if !found {
			t.Errorf("%s: the output of %q does not have the line %q:\n%s", why, line, strings.TrimSpace(shown), got)
			return
		}
		rest = after
	}
}

// run returns the output of a command in a directory, whether it succeeds or not. The directory bin below it is in PATH.
func run(t *testing.T, dir, line string) string {
	t.Helper()
	command := exec.Command("bash", "-c", line)
	command.Dir = dir
	command.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	output, _ := command.CombinedOutput()
	return string(output)
}

// copyOfRepository returns a directory with the files of the repository.
func copyOfRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	copied := run(t, root, "set -o pipefail; git ls-files -z --cached --deduplicate -- ':!test/cluster' | tar --ignore-failed-read --null -T - -c | tar -x -C "+dir)
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatalf("copying the repository: %v:\n%s", err, copied)
	}
	return dir
}

// misspelledCache returns a directory with the program and the resource of the page.
func misspelledCache(t *testing.T) string {
	t.Helper()
	return withCache(t, "{sise: 3}")
}

// editedCache returns a clone with the program, in which the size of a cache differs from the branch main.
func editedCache(t *testing.T) string {
	t.Helper()
	dir := withCache(t, "{size: 2}")
	run(t, dir, `git init -q -b main . && git add caches && git -c user.name=a -c user.email=a@example.com commit -q -m a && sed -i s/2/3/ caches/*`)
	return dir
}

// withCache returns a directory with the program and a Memcached.
func withCache(t *testing.T, spec string) string {
	t.Helper()
	dir := t.TempDir()
	if output := run(t, root, "go build -o "+filepath.Join(dir, "bin", "memcached-operator")+" ."); output != "" {
		t.Fatalf("building the program: %s", output)
	}
	if err := os.Mkdir(filepath.Join(dir, "caches"), 0o700); err != nil {
		t.Fatal(err)
	}
	cache := "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: sessions}\nspec: " + spec + "\n"
	if err := os.WriteFile(filepath.Join(dir, "caches", "sessions.yaml"), []byte(cache), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
