//go:build servers

package servers

import (
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// TestProxyLimits checks what webhook/memcached/proxy/README.md documents about commands that a proxy treats differently.
func TestProxyLimits(t *testing.T) {
	servers := startServers(t, 4)
	four := addresses(servers)
	before, warm := startProxy(t, four[:3]), startPhase(t, moves.Warming, four[:3], four)
	old, c := dialClient(t, before.address), dialClient(t, warm.address)

	for _, key := range allKeys(40) {
		old.must(t, "set "+key+" 0 0 1\r\nx\r\n")
		if got := lines(old.must(t, "md "+key+" I\r\n")); got != "HD" {
			t.Fatalf("md with I returned %s", got)
		}
		if got := lines(c.must(t, "mg "+key+" v\r\n")); got != "VA 1 X W|x" {
			t.Errorf("a stale item: mg returned %s, want the item on from with W and X", got)
		}
		if got := lines(c.must(t, "mg "+key+" v\r\n")); got != "VA 1 Z X|x" {
			t.Errorf("a stale item that another client recaches: mg returned %s, want Z and X", got)
		}
		if got := lines(c.must(t, "ms "+key+" 1\r\ny\r\n")); got != "HD" {
			t.Errorf("a stale item that is recached: ms returned %s", got)
		}
		if got := lines(c.must(t, "mg "+key+" v\r\n")); got != "VA 1|y" {
			t.Errorf("a recached item: mg returned %s", got)
		}
		if got := lines(c.must(t, "incr "+key+" 1\r\n")); !strings.HasPrefix(got, "CLIENT_ERROR") {
			t.Errorf("incr of a text returned %s", got)
		}
	}
	for _, command := range []string{"flush_all", "verbosity 1", "cache_memlimit 64", "config get cluster", "GET a", " get a", "\x80 get a", "mg a" + strings.Repeat(" ", 500)} {
		if all, err := dialClient(t, warm.address).do(command + "\r\n"); err == nil {
			t.Errorf("%.40q returned %q, want a closed connection", command, all)
		}
	}
	for _, key := range allKeys(40) {
		if got := lines(c.must(t, "get "+key+"\r\n")); got != "VALUE "+key+" 0 1|y|END" {
			t.Errorf("get returned %s after flush_all of the proxy", got)
		}
	}
	expectNoLuaError(t, warm)
}

// TestBadTokens checks that proxies in each phase refuse what one server refuses, and keep the items.
func TestBadTokens(t *testing.T) {
	four, one := addresses(startServers(t, 4)), dialClient(t, startServers(t, 1)[0].address)
	for phase, address := range startPhases(t, four[:3], four) {
		for _, key := range allKeys(10) {
			for _, command := range []string{"gat abc " + key, "gats abc " + key, "mg " + key + " Tabc", "mg " + key + " Nabc", "touch " + key + " abc",
				"ma new" + key + " N0 Jabc", "ma new" + key + " Nabc", "md " + key + " C", "ms " + key + " 1 C\r\nx"} {
				proxy := dialClient(t, address) // a server may close the connection
				for _, each := range []*client{one, proxy} {
					each.must(t, "set "+key+" 0 0 1\r\nv\r\n")
					_, _ = each.do("delete new" + key + "\r\n")
				}
				want, got := lines(one.must(t, command+"\r\n")), lines(proxy.must(t, command+"\r\n"))
				if got != want {
					t.Errorf("the proxy %d of a change returned %s to %q, want %s", phase, got, command, want)
				}
				if got := lines(proxy.must(t, "get "+key+" new"+key+"\r\n")); got != "VALUE "+key+" 0 1|v|END" {
					t.Errorf("the proxy %d of a change: %s after %q", phase, got, command)
				}
			}
		}
	}
}

// TestProxyReturnsExplicitUnique checks that ms with E and c returns the CAS unique of E, also if the item moves.
func TestProxyReturnsExplicitUnique(t *testing.T) {
	servers := startServers(t, 4)
	four := addresses(servers)
	old, c := dialClient(t, startProxy(t, four[:3]).address), dialClient(t, startPhase(t, moves.Warming, four[:3], four).address)
	for i, key := range allKeys(80) {
		state := "no item"
		if i%2 == 0 {
			state = "an item on from"
			old.must(t, "set "+key+" 0 0 1\r\nx\r\n")
		}
		if got := lines(c.must(t, "ms "+key+" 1 E77 c\r\nz\r\n")); got != "HD c77" {
			t.Errorf("ms with E77 and c over %s returned %s, want the CAS unique of E", state, got)
		}
		if got := lines(c.must(t, "mg "+key+" c v\r\n")); got != "VA 1 c77|z" {
			t.Errorf("mg returned %s after ms with E77 over %s", got, state)
		}
	}
}
