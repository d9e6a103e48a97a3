//go:build servers

package servers

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// TestProxyNeedsVersion checks how a proxy ends whose memcached lacks functions of the library. The kubelet keeps the last line of its log, and
// the status quotes it.
func TestProxyNeedsVersion(t *testing.T) {
	const older = "if mcp.request then getmetatable(mcp.request('mg k\\r\\n')).raw_line = nil end\n"
	servers := []string{freeAddress(t)}
	_, port := cutColon(freeAddress(t))
	args := append(routesArgs(t, older+proxy.Library, phaseConfig(moves.Steady, servers, servers)), "-p", port, "-U", "0", "-l", "127.0.0.1")
	p := startUnprivileged(t, program(t), args, nil)
	exit, _ := errors.AsType[*exec.ExitError](p.Err())
	log, err := os.ReadFile(p.Log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	last, want := lines[len(lines)-1], "memcached "+proxy.MinVersion+" or later is needed for proxies"
	if exit == nil || exit.ExitCode() != 1 || last != want {
		t.Errorf("the exit is %v and the last line of the log is %q, want exit code 1 and %q", exit, last, want)
	}
}
