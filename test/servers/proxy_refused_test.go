//go:build servers

package servers

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

const badToken = "CLIENT_ERROR bad token in command line format"

// TestProxyRefusesItsUniques checks that no client sets a CAS unique of proxies, because a copy would wait for it.
func TestProxyRefusesItsUniques(t *testing.T) {
	four := addresses(startServers(t, 4))
	for phase, address := range startPhases(t, four[:3], four) {
		c := dialClient(t, address)
		for _, command := range []string{
			"ms a 1 E7881299347898368000\r\nx\r\n", "md b E7881299347898368002\r\n", "ma c E7881299347898368004 N0\r\n", "ms a 1 E7881299347898368007\r\nx\r\n",
			"ms a 1 E-10565444725811183616\r\nx\r\n", "md b E+7881299347898368000\r\n", "ms a 1 E0007881299347898368000\r\nx\r\n", // the same for strtoull
		} {
			if got := lines(c.must(t, command)); got != badToken {
				t.Errorf("phase %d: %q returned %s, want a refusal, because the CAS unique is one of proxies", phase, command, got)
			}
		}
	}
}

// TestProxyRefusesTextBehindQ checks that a server never runs text that a client puts behind the flag q: the proxy would give the response to another client.
func TestProxyRefusesTextBehindQ(t *testing.T) {
	four := addresses(startServers(t, 4))
	for phase, address := range startPhases(t, four[:3], four) {
		c := dialClient(t, address)
		for _, command := range []string{
			"mg none qq\r\n", "mg none  k qqq v\r\n", "mg none v qq\n", "mg bm9uZQ== b q qq\r\n", "md none qk\r\n", "ma none q0\r\n", "me none qq\r\n", "ms qq 1 qq\r\nx\r\n",
			"ms qq 1 qE7881299347898368000\r\nx\r\n",
		} {
			if got := lines(c.must(t, command)); got != badToken {
				t.Errorf("phase %d: %q returned %s, want a refusal, because a server would run what is behind the q", phase, command, got)
			}
			if got := lines(c.must(t, "mg qq  v q\r\nmg qq\r\n")); got != "EN" {
				t.Errorf("phase %d: after %q, a quiet miss and a miss returned %s, want one response", phase, command, got)
			}
		}
		expectNoRoomForQ(t, address)
	}
}

// TestProxyAcceptsLongLineWithQ checks the longest line with a q that a proxy accepts outside a change.
func TestProxyAcceptsLongLineWithQ(t *testing.T) {
	c := dialClient(t, startProxy(t, addresses(startServers(t, 1))).address)
	line := "mg none" + strings.Repeat(" ", 496-len("mg nonev q\r\n")) + "v q\r\n"
	if got := lines(c.must(t, line)); got != "" {
		t.Errorf("a line of %d bytes with q returned %s, want nothing for a miss", len(line), got)
	}
}

// TestProxyReadsSpacesOnce checks that a long line costs a thread of a proxy no millisecond: it stops for all clients while it reads one.
func TestProxyReadsSpacesOnce(t *testing.T) {
	four := addresses(startServers(t, 4))
	const many, limit = 500, 250 * time.Millisecond
	for phase, address := range startPhases(t, four[:3], four) {
		c := dialClient(t, address)
		for _, command := range []string{
			"mg " + strings.Repeat("k", 240) + strings.Repeat(" ", 240) + "q\r\n",
			"ms a" + strings.Repeat(" ", 390) + "1\r\nx\r\n",
		} {
			before := cpuTime(t, address)
			for range many / 10 {
				c.must(t, strings.Repeat(command, 10))
			}
			if used := cpuTime(t, address) - before; used > limit {
				t.Errorf("phase %d: %d times %q used %s of CPU time, want at most %s", phase, many, command, used, limit)
			}
		}
	}
}

// cpuTime returns the CPU time that memcached has used.
func cpuTime(t *testing.T, address string) time.Duration {
	t.Helper()
	stats := server{address: address}.stats(t, "stats")
	user, err := time.ParseDuration(stats["rusage_user"] + "s")
	system, err2 := time.ParseDuration(stats["rusage_system"] + "s")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return user + system
}

// expectNoRoomForQ sends lines without CR that are near the longest that a proxy reads.
func expectNoRoomForQ(t *testing.T, address string) {
	t.Helper()
	for spaces := 450; spaces < 500; spaces++ {
		all, err := dialClient(t, address).do("mg none" + strings.Repeat(" ", spaces) + "qq\n")
		if got := lines(all); errors.Is(err, os.ErrDeadlineExceeded) || err == nil && !strings.HasPrefix(got, "CLIENT_ERROR") {
			t.Errorf("a line with %d spaces before qq returned %q, want a refusal or a closed connection", spaces, got)
		}
	}
}
