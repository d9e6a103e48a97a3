//go:build servers

package servers

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// moving has the phases in which the requests of commands are not those of clients.
var moving = []moves.ProxyPhase{moves.Announcing, moves.Preparing, moves.Warming, moves.Closing}

// TestProxyHotChanges lets clients change one key all the time. A command that loses to others again and again ends with an error, and has then
// changed nothing.
func TestProxyHotChanges(t *testing.T) {
	servers := addresses(startServers(t, 4))
	for _, phase := range moving {
		proxy := startPhase(t, phase, servers[:2], servers[2:])
		for _, test := range []struct{ clients, refused int }{{16, 16}, {50, 100}} {
			key := fmt.Sprintf("hot-%s-%d", phase, test.clients)
			dialClient(t, proxy.address).must(t, "set "+key+" 0 0 1\r\n0\r\n")
			var group sync.WaitGroup
			var refused atomic.Int64
			for range test.clients {
				c := dialClient(t, proxy.address)
				group.Go(func() {
					for range 20 {
						if got := lines(c.must(t, "incr "+key+" 1\r\n")); got == "SERVER_ERROR busy" {
							refused.Add(1)
						} else if !isNumber(got) {
							t.Errorf("%s: incr returned %s", phase, got)
						}
					}
				})
			}
			group.Wait()
			total := 20*test.clients - int(refused.Load())
			t.Logf("%-10s %d clients: %d of %d incr were refused", phase, test.clients, refused.Load(), 20*test.clients)
			if got := lines(dialClient(t, proxy.address).must(t, "get "+key+"\r\n")); got != fmt.Sprintf("VALUE %s 0 %d|%d|END", key, len(strconv.Itoa(total)), total) {
				t.Errorf("%s: after %d incr that succeeded, get returned %s", phase, total, got)
			}
			if int(refused.Load()) > test.refused {
				t.Errorf("%s: %d of %d incr of %d clients were refused, want at most %d", phase, refused.Load(), 20*test.clients, test.clients, test.refused)
			}
		}
	}
}

// TestProxyQueues sends many commands for one key at once over one connection. They wait for each other, and must not do so for long.
func TestProxyQueues(t *testing.T) {
	servers := addresses(startServers(t, 4))
	for _, phase := range moving {
		proxy := startPhase(t, phase, servers[:2], servers[2:])
		c := dialClient(t, proxy.address)
		c.must(t, "set k 0 0 1\r\n0\r\n")
		start := time.Now()
		responses := c.must(t, strings.Repeat("incr k 1\r\n", 1000))
		incr := time.Since(start)
		for i, response := range responses {
			if response.line != strconv.Itoa(i+1) {
				t.Fatalf("%s: incr %d of 1,000 at once returned %s", phase, i+1, response.line)
			}
		}
		start = time.Now()
		if got := lines(c.must(t, "set k 0 0 1\r\n1\r\nget"+strings.Repeat(" k", 500)+"\r\n")); got != "STORED|"+strings.Repeat("VALUE k 0 1|1|", 500)+"END" {
			t.Errorf("%s: get of a key 500 times after set returned %.200s", phase, got)
		}
		get := time.Since(start)
		t.Logf("%-10s 1,000 incr at once %s, get of a key 500 times after set %s", phase, incr.Round(time.Millisecond), get.Round(time.Millisecond))
		if incr > 10*time.Second || get > 5*time.Second {
			t.Errorf("%s: 1,000 incr at once took %s, and a get of 500 keys after set %s", phase, incr, get)
		}
	}
}

// TestProxyGivesOneWin sends a read before the mg that gets the right to store a stale item again. A read that runs a second time must not use it up.
func TestProxyGivesOneWin(t *testing.T) {
	servers := addresses(startServers(t, 4))
	for _, phase := range moving {
		c := dialClient(t, startPhase(t, phase, servers[:2], servers[2:]).address)
		for i := range 25 {
			key := fmt.Sprintf("stale-%s-%d", phase, i)
			all := c.must(t, fmt.Sprintf("set %[1]s 0 0 1\r\n1\r\nmd %[1]s I\r\nget %[1]s\r\nmg %[1]s\r\nmg %[1]s\r\n", key))
			if got := lines(all[len(all)-2:]); got != "HD X W|HD Z X" && got != "HD W X|HD X Z" {
				t.Errorf("%s: get, mg and mg of a stale item at once: the mg returned %s, want W once", phase, got)
			}
		}
	}
}

// TestProxyNoreplyInPlaceOfAnArgument checks that noreply as the last word is silent, also if an argument is missing.
func TestProxyNoreplyInPlaceOfAnArgument(t *testing.T) {
	servers := addresses(startServers(t, 4))
	for _, phase := range append(moving, "") {
		for _, command := range []string{"incr k noreply", "decr k noreply", "touch k noreply", "cas k 0 0 1 noreply\r\n1", "delete k noreply", "delete k 0 noreply"} {
			c := dialClient(t, startPhase(t, phase, servers[:2], servers[2:]).address)
			if all := c.must(t, command+"\r\n"); len(all) > 0 {
				t.Errorf("%s: %q returned %s, want no response", phase, command, lines(all))
			}
		}
	}
}

// TestProxyWithoutServersAfterChange reads items that cannot move, and then changes them: they must not wait for a move that does not end.
func TestProxyWithoutServersAfterChange(t *testing.T) {
	servers := startServers(t, 4)
	all := addresses(servers)
	c := dialClient(t, startPhase(t, moves.Preparing, all[:2], all[2:]).address)
	warm := dialClient(t, startPhase(t, moves.Warming, all[:2], all[2:]).address)
	keys := allKeys(20)
	for _, key := range keys {
		c.must(t, "set "+key+" 0 0 1\r\n1\r\n")
	}
	for _, server := range servers[2:] {
		if err := server.Stop(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	start, failed := time.Now(), 0
	if got := warm.must(t, "get "+strings.Join(keys, " ")+"\r\n"); len(got) != 21 {
		t.Errorf("a get of 20 items returned %d, want all: their servers before the change have them", len(got)-1)
	}
	for _, key := range keys {
		for _, command := range []struct{ text, want string }{
			{"get " + key, "VALUE " + key + " 0 1|1|END"}, {"set " + key + " 0 0 1\r\n2", "STORED"}, {"get " + key, "VALUE " + key + " 0 1|2|END"},
		} {
			got := lines(warm.must(t, command.text+"\r\n"))
			if got == "SERVER_ERROR backend failure" { // the proxy tries to connect once in a second
				failed++
				got = lines(warm.must(t, command.text+"\r\n"))
			}
			if got != command.want {
				t.Errorf("%q returned %s, want %s: its server before the change has the item", command.text, got, command.want)
			}
		}
	}
	if took := time.Since(start); took > 5*time.Second || failed > int(took.Seconds())+1 {
		t.Errorf("20 items took %s, so commands wait for moves that cannot end; %d commands failed, want at most one in a second", took, failed)
	}
}

// TestProxyMetaEntry checks that me reads the flag b only beside another one, as memcached does.
func TestProxyMetaEntry(t *testing.T) {
	servers := addresses(startServers(t, 4))
	for _, phase := range append(moving, "") {
		c := dialClient(t, startPhase(t, phase, servers[:2], servers[2:]).address)
		if got := lines(c.must(t, "set abcd 0 0 1\r\n1\r\nme abcd b\r\n")); !strings.HasPrefix(got, "STORED|ME abcd ") {
			t.Errorf("%s: me with b of a key that is no base64 returned %s, want the item", phase, got)
		}
	}
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
