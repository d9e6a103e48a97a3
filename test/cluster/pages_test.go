package cluster

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/internal/pages"
)

// tutorial matches the blocks that try a sample.
var tutorial = regexp.MustCompile(`kubectl apply -f manifests/samples/`)

// elsewhere matches the commands of tutorials that cannot run here: the kinds are installed by other means, as the kustomizations are
// in the package installation, and no container runs.
var elsewhere = regexp.MustCompile(`^(kubectl apply -k|kubectl run|kubectl rollout status|helm|kind|make) `)

// TestPages runs the blocks of all pages that try a sample, with the blocks of the language sh that follow in the section, and compares their
// output with the page.
func TestPages(t *testing.T) {
	t.Parallel()
	files, err := pages.Find(shared.root)
	must(t, err)
	tried := 0
	for _, file := range files {
		blocks, err := pages.Blocks(file)
		must(t, err)
		for i, block := range blocks {
			if len(block.Commands()) == 0 || !tutorial.MatchString(block.Text()) {
				continue
			}
			tried++
			place, err := filepath.Rel(shared.root, block.Place)
			must(t, err)
			t.Run(place, func(t *testing.T) {
				because(t, "users type what a page shows, and expect the output of the page")
				t.Parallel()
				environment := inNamespace(t, newNamespaceOf(t, "baseline"))
				runBlock(t, block, environment)
				for _, next := range blocks[i+1:] {
					if next.Language == "sh" && next.Section == block.Section {
						runBlock(t, next, environment)
					}
				}
			})
		}
	}
	if tried < 4 {
		t.Errorf("only %d blocks try a sample, fewer than kinds", tried)
	}
}

// runBlock runs the commands of a block. A kubectl get runs until it shows what the page shows.
func runBlock(t *testing.T, block pages.Block, environment []string) {
	t.Helper()
	for _, command := range block.Commands() {
		run := func(ctx context.Context) error { return command.Run(ctx, shared.root, environment) }
		switch {
		case elsewhere.MatchString(command.Text):
		case strings.HasPrefix(command.Text, "kubectl get "):
			eventually(t, waitTimeout, command.Text, run)
		default:
			must(t, run(t.Context()))
		}
	}
}

// inNamespace returns the variables with which kubectl uses the cluster of the tests, and a namespace by default.
func inNamespace(t *testing.T, namespace string) []string {
	t.Helper()
	content, err := os.ReadFile(shared.Kubeconfig)
	must(t, err)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(kubeconfig, content, 0o600))
	kubectl(t, "config", "set-context", "--current", "--kubeconfig", kubeconfig, "--namespace", namespace)
	return append(os.Environ(), "KUBECONFIG="+kubeconfig, "PATH="+filepath.Dir(shared.Kubectl)+":"+os.Getenv("PATH"))
}

// TestKubectlFlags asks kubectl for the help of each of its commands in the pages. kubectl prints it only if it knows the command and
// the flags.
func TestKubectlFlags(t *testing.T) {
	because(t, "most commands of the pages cannot run here, such as those with the name of a user's object")
	t.Parallel()
	files, err := pages.Find(shared.root)
	must(t, err)
	checked := 0
	for _, file := range files {
		blocks, err := pages.Blocks(file)
		must(t, err)
		for _, block := range blocks {
			calls, err := block.Calls(t.Context(), t.TempDir(), "kubectl")
			must(t, err)
			for _, call := range calls {
				checked++
				args := call[1:]
				if end := slices.Index(args, "--"); end >= 0 {
					args = args[:end]
				}
				if out, err := tryKubectl(t, append(slices.Clone(args), "--help")...); err != nil || !strings.Contains(out, "Usage:") {
					t.Errorf("%s: %q: %v\n%s", block.Place, call, err, out)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("the pages have only %d commands of kubectl", checked)
	}
}
