//go:build servers

package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached/proxyroutes"
)

// untested is why tests of the proxy may be skipped.
const untested = "NOT TESTED: the proxy. Set MEMCACHED to the path of a memcached that was built with --enable-proxy; the one of Debian was not."

// reportUntested prints what the run does not test, also without -v, which hides skipped tests.
func reportUntested() {
	if os.Getenv("MEMCACHED") == "" {
		fmt.Println(untested)
	}
}

// proxyProgram returns the memcached with a proxy, which the packages of distributions do not have.
func proxyProgram(t testing.TB) string {
	t.Helper()
	program := os.Getenv("MEMCACHED")
	if program == "" {
		t.Skip(untested)
	}
	return program
}

// startOne starts memcached on an address of loopback.
func startOne(t testing.TB, address string, args ...string) server {
	t.Helper()
	_, port := cutColon(address)
	args = append([]string{"-p", port, "-U", "0", "-l", "127.0.0.1"}, args...)
	s := launch(t, proxyProgram(t), args, nil, map[string]string{port: address})
	s.address = address
	return s
}

// startServers starts the servers behind a proxy.
func startServers(t testing.TB, n int) []server {
	t.Helper()
	var all []server
	for range n {
		all = append(all, startOne(t, freeAddress(t), "-t", "1", "-m", "64"))
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

// startProxy starts a proxy with the lists of servers.
func startProxy(t testing.TB, current, previous []string, args ...string) server {
	t.Helper()
	return startConfigured(t, proxyroutes.Config(current, previous, false), args...)
}

// startPreparing starts a proxy before a warm-up, with the list that comes next.
func startPreparing(t testing.TB, current, next []string) server {
	t.Helper()
	return startConfigured(t, proxyroutes.Config(current, next, true))
}

func startConfigured(t testing.TB, config string, args ...string) server {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // for the user of the process
		t.Fatal(err)
	}
	files := map[string]string{"library.lua": proxyroutes.Library, "config.lua": config}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	options := proxyroutes.Options(filepath.Join(dir, "library.lua"), filepath.Join(dir, "config.lua"))
	return startOne(t, freeAddress(t), append([]string{"-t", "2", "-m", "64", "-v", "-o", options}, args...)...)
}

// expectNoLuaError fails the test if the library failed in a proxy.
func expectNoLuaError(t testing.TB, proxy server) {
	t.Helper()
	if log := proxy.logged(t); strings.Contains(log, "lua") {
		t.Errorf("the log of the proxy has an error of the library:\n%.1000s", log)
	}
}
