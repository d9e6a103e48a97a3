package clients

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/internal/process"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

type server struct {
	*process.Process
	name, address string
}

// start starts memcached on a free port of loopback until the test ends.
func start(t *testing.T, args ...string) server {
	t.Helper()
	address, err := process.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(address)
	args = append([]string{"-l", host, "-p", port, "-U", "0"}, args...)
	if os.Geteuid() == 0 { // memcached as root needs the name of a user
		args = append(args, "-u", "root")
	}
	s := server{&process.Process{Path: memcached, Args: args, Log: filepath.Join(t.TempDir(), "log")}, "memcached", address}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Kill() })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.WaitFor(ctx, process.Listens(address)); err != nil {
		t.Fatal(err)
	}
	return s
}

func startServers(t *testing.T, n int) []string {
	t.Helper()
	var all []string
	for range n {
		all = append(all, start(t, "-t", "1", "-m", "1024").address)
	}
	return all
}

// A step is what the proxies do during and after a rollout.
type step struct {
	name  string
	phase moves.ProxyPhase
}

// steps are those of a change.
var steps = []step{
	{"before", moves.Steady},
	{"announcing", moves.Announcing},
	{"preparing", moves.Preparing},
	{"warming", moves.Warming},
	{"closing", moves.Closing},
	{"after", moves.Steady},
}

// start starts a proxy for a change to other servers, so that all keys move, and checks at the end that its library has not failed.
func (s step) start(t *testing.T, from, to []string, args ...string) server {
	t.Helper()
	switch s.name {
	case "before":
		to = from
	case "after":
		from = to
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"library.lua": proxy.Library, "config.lua": proxy.Config(from, to, s.phase)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	options := proxy.Options(filepath.Join(dir, "library.lua"), filepath.Join(dir, "config.lua"))
	p := start(t, append([]string{"-t", "2", "-m", "64", "-v", "-o", options}, args...)...)
	p.name = s.name
	t.Cleanup(func() {
		log, err := os.ReadFile(p.Log)
		if err != nil || strings.Contains(string(log), "lua") {
			t.Errorf("%s: the log of the proxy has an error of the library: %v\n%.1000s", s.name, err, log)
		}
	})
	return p
}
