//go:build servers

package servers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// startOne starts memcached on an address of loopback.
func startOne(t testing.TB, address string, args ...string) server {
	t.Helper()
	_, port := cutColon(address)
	args = append([]string{"-p", port, "-U", "0", "-l", "127.0.0.1"}, args...)
	s := launch(t, program(t), args, nil, map[string]string{port: address})
	s.address = address
	return s
}

// startServers starts the servers behind a proxy.
func startServers(t testing.TB, n int, args ...string) []server {
	t.Helper()
	var all []server
	for range n {
		all = append(all, startOne(t, freeAddress(t), append([]string{"-t", "1", "-m", "64"}, args...)...))
	}
	return all
}

func addresses(servers []server) []string {
	var all []string
	for _, each := range servers {
		all = append(all, each.address)
	}
	return all
}

// startProxy starts a proxy that knows the servers of one size.
func startProxy(t testing.TB, servers []string, args ...string) server {
	t.Helper()
	return startConfigured(t, phaseConfig(moves.Steady, servers, servers), args...)
}

// startPhase starts a proxy in a phase of a change of size.
func startPhase(t testing.TB, phase moves.ProxyPhase, from, to []string) server {
	t.Helper()
	return startConfigured(t, phaseConfig(phase, from, to))
}

// phaseConfig returns the configuration of a proxy in a phase.
func phaseConfig(phase moves.ProxyPhase, from, to []string) string {
	return proxy.Config(from, to, phase)
}

func startConfigured(t testing.TB, config string, args ...string) server {
	t.Helper()
	return startOne(t, freeAddress(t), append(routesArgs(t, proxy.Library, config), args...)...)
}

// routesArgs writes the files of a proxy, and returns its arguments.
func routesArgs(t testing.TB, library, config string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // for the user of the process
		t.Fatal(err)
	}
	files := map[string]string{"library.lua": library, "config.lua": config}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	options := proxy.Options(filepath.Join(dir, "library.lua"), filepath.Join(dir, "config.lua"))
	return []string{"-t", "2", "-m", "64", "-v", "-o", options}
}

// expectNoLuaError fails the test if the library failed in a proxy.
func expectNoLuaError(t testing.TB, p server) {
	t.Helper()
	if log := p.logged(t); strings.Contains(log, "lua") {
		t.Errorf("the log of the proxy has an error of the library:\n%.1000s", log)
	}
}
