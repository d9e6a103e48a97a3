//go:build servers

package servers

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// allKeys returns n keys, enough for every server to have some.
func allKeys(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint("key", i))
	}
	return all
}

// signal sends a signal to a process.
func (s server) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(s.PID(), signal); err != nil {
		t.Fatal(err)
	}
}

// kill ends a process like a crash.
func (s server) kill(t testing.TB) {
	t.Helper()
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
}

// TestProxyWithoutServer checks what clients see of a server that ended, that hangs, or that has no address: a read is a miss
// and a write an error, soon, and the other servers serve.
func TestProxyWithoutServer(t *testing.T) {
	for _, test := range []struct {
		reason string
		fail   func(*testing.T, server)
		warm   bool
		within time.Duration
	}{
		{"a server that ended", func(t *testing.T, s server) { s.kill(t) }, false, 1500 * time.Millisecond},
		{"a server that hangs", func(t *testing.T, s server) { s.signal(t, syscall.SIGSTOP) }, false, 1500 * time.Millisecond},
		{"a server that ended during a warm-up", func(t *testing.T, s server) { s.kill(t) }, true, 1500 * time.Millisecond},
		{"a server that hangs during a warm-up", func(t *testing.T, s server) { s.signal(t, syscall.SIGSTOP) }, true, 2500 * time.Millisecond},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			servers := startServers(t, 3)
			var previous []string
			if test.warm { // names of tests become directories, and a comma would end an option of memcached
				previous = addresses(servers)[:2]
			}
			proxy := startProxy(t, addresses(servers), previous)
			c := dialClient(t, proxy.address)
			for _, key := range allKeys(60) {
				if got := lines(c.must(t, "set "+key+" 0 0 1\r\nx\r\n")); got != "STORED" {
					t.Fatalf("set returned %s", got)
				}
			}
			test.fail(t, servers[0])
			var seen outcome
			for i, key := range allKeys(60) {
				seen.count(t, c, "get "+key)
				other := []string{"mg %s k O7 v", "mg %s q", "gat 10 %s", "set %s 0 0 1\r\ny", "add %s 0 0 1\r\ny", "incr %s 1", "touch %s 0", "delete %s", "ms %s 1\r\ny", "md %s q"}
				seen.count(t, c, fmt.Sprintf(other[i%len(other)], key))
			}
			if seen.misses == 0 || seen.hits < seen.misses || seen.refused == 0 {
				t.Errorf("%+v: want misses and refused writes for one of three servers", seen)
			}
			if seen.slowest > test.within {
				t.Errorf("the slowest command took %s, want at most %s", seen.slowest, test.within)
			}
			fmt.Printf("proxy: with %s, the slowest of 120 commands took %.2f s (%d misses, %d refused writes)\n", test.reason, seen.slowest.Seconds(), seen.misses, seen.refused)
			expectNoLuaError(t, proxy)
		})
	}
}

// outcome is what a client sees of commands.
type outcome struct {
	hits, misses, refused int
	slowest               time.Duration
}

// count sends a command. It fails the test if a read returns an error.
func (o *outcome) count(t *testing.T, c *client, command string) {
	t.Helper()
	start := time.Now()
	got := lines(c.must(t, command+"\r\n"))
	o.slowest = max(o.slowest, time.Since(start))
	failed := strings.Contains(got, "SERVER_ERROR")
	switch verb, _, _ := strings.Cut(command, " "); {
	case strings.Contains(got, "lua"), failed && (verb == "get" || verb == "gat" || verb == "mg"):
		t.Errorf("%q returned %s", command, got)
	case failed:
		o.refused++
	case verb == "get" && got == "END":
		o.misses++
	case verb == "get":
		o.hits++
	}
}

// TestProxyFindsServerAgain checks that a proxy soon uses a server again that has restarted or continues.
func TestProxyFindsServerAgain(t *testing.T) {
	for _, test := range []struct {
		reason string
		fail   func(testing.TB, server) (again func())
	}{
		{"restarted", func(t testing.TB, s server) func() {
			s.kill(t)
			return func() { startOne(t, s.address, "-t", "1", "-m", "64") }
		}},
		{"continued", func(t testing.TB, s server) func() {
			s.signal(t, syscall.SIGSTOP)
			return func() { s.signal(t, syscall.SIGCONT) }
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			servers := startServers(t, 1)
			c := dialClient(t, startProxy(t, addresses(servers), nil).address)
			stored := func() bool { return lines(c.must(t, "set key 0 0 1\r\nx\r\n")) == "STORED" }
			if !stored() {
				t.Fatal("set failed before the failure")
			}
			again := test.fail(t, servers[0])
			for end := time.Now().Add(4 * time.Second); time.Now().Before(end); { // as long as the proxy may slow down its attempts
				if stored() {
					t.Fatal("set succeeded without a server")
				}
				time.Sleep(100 * time.Millisecond) // the interval of the client
			}
			again()
			start := time.Now()
			for !stored() {
				if time.Since(start) > 5*time.Second {
					t.Fatalf("a server that %s is not used after 5 s", test.reason)
				}
			}
			fmt.Printf("proxy: a server that %s was used after %.1f s\n", test.reason, time.Since(start).Seconds())
		})
	}
}
