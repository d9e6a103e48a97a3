//go:build servers

package servers

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/moves"
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

// soon is the time in which a command ends although a server is down: the routes wait for 1.4 seconds.
const soon = 1900 * time.Millisecond

// TestProxyWithoutServer checks what clients see of a server that ended, that hangs, or that has no address: a read is a miss
// and a write an error, soon, and the other servers serve.
func TestProxyWithoutServer(t *testing.T) {
	for _, test := range []struct {
		reason string
		fail   func(*testing.T, server)
		phase  moves.ProxyPhase
		within time.Duration
		slot   bool // the place of the server moves, or else a third server is added
	}{
		{"a server that ended", func(t *testing.T, s server) { s.kill(t) }, "", soon, false},
		{"a server that hangs", func(t *testing.T, s server) { s.signal(t, syscall.SIGSTOP) }, "", soon, false},
		{"a server that ended before a warm-up", func(t *testing.T, s server) { s.kill(t) }, moves.Preparing, soon, false},
		{"a server that ended during a warm-up", func(t *testing.T, s server) { s.kill(t) }, moves.Warming, soon, false},
		{"a server that ended after a warm-up", func(t *testing.T, s server) { s.kill(t) }, moves.Closing, soon, false},
		{"a server that hangs during a warm-up", func(t *testing.T, s server) { s.signal(t, syscall.SIGSTOP) }, moves.Warming, soon + 1400*time.Millisecond, false},
		{"a server that ended before its place moves in announcing", func(t *testing.T, s server) { s.kill(t) }, moves.Announcing, soon, true},
		{"a server that ended before its place moves in preparing", func(t *testing.T, s server) { s.kill(t) }, moves.Preparing, soon, true},
		{"a server that ended while its place moves", func(t *testing.T, s server) { s.kill(t) }, moves.Warming, soon, true},
		{"a server that ended after its place moved", func(t *testing.T, s server) { s.kill(t) }, moves.Closing, soon, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			servers := startServers(t, 3)
			config := phaseConfig(moves.Steady, addresses(servers), addresses(servers))
			if test.phase != "" { // names of tests become directories, and a comma would end an option of memcached
				config = phaseConfig(test.phase, addresses(servers)[:2], addresses(servers))
			}
			if test.slot {
				spare := startServers(t, 1)[0].address
				config = phaseConfig(test.phase, addresses(servers), []string{spare, servers[1].address, servers[2].address})
			}
			proxy := startConfigured(t, config)
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

// TestProxyRunsACommandOnce stops the server of a key that does not move for longer than a proxy waits. The server executes the
// command later, so no proxy may send it again.
func TestProxyRunsACommandOnce(t *testing.T) {
	for _, phase := range []moves.ProxyPhase{moves.Preparing, moves.Warming, moves.Closing} {
		t.Run(string(phase), func(t *testing.T) {
			t.Parallel()
			servers := startServers(t, 3)
			all := addresses(servers)
			proxy, direct := dialClient(t, startPhase(t, phase, all[:2], all).address), dialClient(t, servers[0].address)
			key := keptKey(t, direct, all)
			for _, test := range []struct{ command, want string }{
				{"incr %s 1", "11"}, {"append %s 0 0 1\r\n0", "100"}, {"prepend %s 0 0 1\r\n1", "110"}, {"ma %s v", "11"},
			} {
				direct.must(t, "set "+key+" 0 0 2\r\n10\r\n")
				servers[0].signal(t, syscall.SIGSTOP)
				awake := make(chan struct{})
				time.AfterFunc(1500*time.Millisecond, func() { servers[0].signal(t, syscall.SIGCONT); close(awake) })
				got := lines(proxy.must(t, fmt.Sprintf(test.command, key)+"\r\n"))
				<-awake
				proxy.reaches(t, key)
				item := lines(direct.must(t, "get "+key+"\r\n"))
				failed := strings.Contains(got, "SERVER_ERROR") && strings.HasSuffix(item, "|10|END")
				if !failed && !strings.HasSuffix(item, "|"+test.want+"|END") {
					t.Errorf("%.4s of 10 returned %q, and the item is %q, want %s", test.command, got, item, test.want)
				}
			}
		})
	}
}

// keptKey returns a key that the first server has of two servers and of three.
func keptKey(t *testing.T, first *client, all []string) string {
	t.Helper()
	two, three := dialClient(t, startProxy(t, all[:2]).address), dialClient(t, startProxy(t, all).address)
	for _, key := range allKeys(60) {
		kept := true
		for _, proxy := range []*client{two, three} {
			proxy.must(t, "set "+key+" 0 0 1\r\nx\r\n")
			kept = strings.Contains(lines(first.must(t, "get "+key+"\r\n")), "VALUE") && kept
			proxy.must(t, "delete "+key+"\r\n")
		}
		if kept {
			return key
		}
	}
	t.Fatal("no key of 60 stays on the first server")
	return ""
}

// reaches waits until a proxy reaches the server of a key again.
func (c *client) reaches(t *testing.T, key string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if strings.Contains(lines(c.must(t, "get "+key+"\r\n")), "VALUE") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the proxy does not reach the server of %s again", key)
		}
		time.Sleep(20 * time.Millisecond)
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
			c := dialClient(t, startProxy(t, addresses(servers)).address)
			stored := func() bool { return lines(c.must(t, "set key 0 0 1\r\nx\r\n")) == "STORED" }
			if !stored() {
				t.Fatal("set failed before the failure")
			}
			again := test.fail(t, servers[0])
			for end := time.Now().Add(time.Second); stored() && time.Now().Before(end); {
				time.Sleep(time.Millisecond) // the kernel stops a process a moment later
			}
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
					t.Fatalf("a server that %s is not used after 15 s", test.reason)
				}
			}
			fmt.Printf("proxy: a server that %s was used after %.1f s\n", test.reason, time.Since(start).Seconds())
		})
	}
}
