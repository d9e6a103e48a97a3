//go:build servers

package servers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/internal/pages"
	"github.com/example/memcached-operator/webhook/copier"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

// TestProxyQuickStart runs what the quick start of README.md runs in pods of busybox, with the busybox of this machine. Between the two
// commands, all servers are replaced by others. Their output is that of the page.
func TestProxyQuickStart(t *testing.T) {
	before, after := addresses(startServers(t, 3)), addresses(startServers(t, 3))
	change := func() server {
		warming := startPhase(t, scaling.Warming, before, after)
		for _, source := range sources(before, after) {
			if err := copier.Run(t.Context(), copyConfig(source, warming.address, 1_000_000)); err != nil {
				t.Fatal(err)
			}
		}
		return startProxy(t, after)
	}
	run := func(command pages.Command, proxy server) {
		calls, err := pages.Block{Language: "sh", Lines: strings.Split(command.Text, "\n")}.Calls(t.Context(), t.TempDir(), "kubectl")
		if err != nil || len(calls) != 1 {
			t.Fatalf("%s: %d calls of kubectl, want 1: %v", command.Text, len(calls), err)
		}
		_, script, _ := strings.Cut(strings.Join(calls[0], "\x00"), "\x00--\x00")
		_, port := cutColon(proxy.address)
		words := strings.Split(strings.ReplaceAll(script, "nc memcached-shared-proxy 11211", "nc 127.0.0.1 "+port), "\x00")
		if slices.Equal(words, strings.Split(script, "\x00")) {
			t.Fatalf("%s does not connect to the proxies", command.Text)
		}
		output, err := exec.CommandContext(t.Context(), "busybox", words...).Output()
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		if diff := cmp.Diff(command.Output, strings.Fields(string(output))); diff != "" {
			t.Errorf("%s (-README.md +busybox):\n%s", command.Text, diff)
		}
	}
	commands := inPods(t, "../../README.md")
	if len(commands) != 2 {
		t.Fatalf("README.md runs %d commands in pods, want one that stores and one that reads", len(commands))
	}
	run(commands[0], startProxy(t, before))
	run(commands[1], change())
}

// inPods returns the commands of a page that run in pods.
func inPods(t *testing.T, page string) (found []pages.Command) {
	t.Helper()
	blocks, err := pages.Blocks(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		for _, command := range block.Commands() {
			if strings.HasPrefix(command.Text, "kubectl run ") {
				found = append(found, command)
			}
		}
	}
	return found
}
