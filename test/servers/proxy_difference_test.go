//go:build servers

package servers

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

var (
	proxySeed     = flag.Uint64("proxy-seed", 1, "seed of the random commands and schedules; 0 is the time")
	proxyCommands = flag.Int("proxy-commands", 120_000, "number of random commands")
)

// TestProxyBehavesAsOneServer sends random commands to one memcached and to proxies that change the number of servers, and
// compares the responses. Two proxies with opposite configurations serve at the same time, as during a rollout.
//
// A client waits for the response before it uses the same key again: in a warm-up the proxy does not keep the order of such
// commands. The text and the base64 form of a key are different keys to a proxy.
func TestProxyBehavesAsOneServer(t *testing.T) {
	// An item that the LRU maintainer is about to move is copied by decr, which otherwise fills the shorter number with spaces.
	const maintainer = "no_lru_maintainer"
	servers, plain := startServers(t, 4, "-o", maintainer), startServers(t, 1, "-o", maintainer)[0]
	seed := *proxySeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	fmt.Printf("proxy: random commands with -proxy-seed=%d\n", seed)
	d := &difference{T: t, generator: generator{rand.New(rand.NewPCG(seed, 0))}, servers: servers, plain: plain}
	spreadCASUniques(t, d.servers)
	four := addresses(d.servers)
	three := four[:3]
	const rounds = 6
	steps := func(from, to []string) []*client {
		var all []*client
		for _, proxy := range []server{
			startProxy(t, from), startPhase(t, scaling.Announcing, from, to), startPhase(t, scaling.Preparing, from, to),
			startPhase(t, scaling.Warming, from, to), startPhase(t, scaling.Closing, from, to), startProxy(t, to),
		} {
			t.Cleanup(func() { expectNoLuaError(t, proxy) })
			all = append(all, dialClient(t, proxy.address))
		}
		return all
	}
	spare := []string{four[0], four[3], four[2]}
	up, down, over := steps(three, four), steps(four, three), steps(four[:2], four[2:]) // over: to other servers
	there, again := steps(three, spare), steps(spare, three)                            // one place gets another server, and the first one again
	away := steps(spare, four[1:2])
	start := time.Now()
	for round := range rounds {
		d.flush()
		for _, resize := range [][]*client{up, down, over, there, again, away} {
			before, announce, prepare, warm, closing, after := resize[0], resize[1], resize[2], resize[3], resize[4], resize[5]
			each := *proxyCommands/rounds/6/11 + 1
			d.run(each, before)
			d.run(each, before, announce)
			d.run(each, announce)
			d.forgetStates(announce)
			d.run(each, announce, prepare)
			d.forgetStates(prepare)
			d.run(each, prepare)
			d.forgetStates(prepare)
			d.run(each, prepare, warm)
			d.forgetStates(warm)
			d.run(each, warm)
			d.forgetStates(warm)
			d.readAll(warm)
			d.run(each, warm, closing)
			d.forgetStates(warm)
			d.readAll(warm)
			d.run(each, closing)
			d.run(each, closing, after)
			d.run(each, after)
			d.flush()
		}
		if t.Failed() {
			t.Fatalf("failed in round %d", round+1)
		}
	}
	fmt.Printf("proxy: %d commands of one server and of proxies have equal responses (%.0f s)\n", d.count, time.Since(start).Seconds())
	if d.count < *proxyCommands {
		t.Errorf("only %d commands were sent, want %d", d.count, *proxyCommands)
	}
}

// spreadCASUniques makes the servers assign different CAS uniques. Each server counts from 1, so a key that moved could
// otherwise get the same number again, as one time in millions on servers that have been running for a while.
func spreadCASUniques(t *testing.T, servers []server) {
	t.Helper()
	for i, each := range servers {
		dialClient(t, each.address).must(t, strings.Repeat("set x 0 0 0 noreply\r\n\r\n", i*150_000))
	}
}

// difference compares proxies with one server.
type difference struct {
	*testing.T
	generator
	servers []server
	plain   server
	// expected is the connection to the one server. Connections to proxies share its knowledge of no CAS unique.
	expected *client
	cas      map[string]string
	count    int
}

// flush removes all items. The step before it is not connected to the step after it. (flush_all can keep items of the last
// second.)
func (d *difference) flush() {
	d.Helper()
	remove := strings.Builder{}
	for _, key := range keys() {
		switch key[0] {
		case 'b':
			remove.WriteString("md " + key + " b q\r\n")
		case 's':
			remove.WriteString("md w" + key + " q\r\n")
		}
		remove.WriteString("md " + key + " q\r\n")
	}
	for _, each := range append(slices.Clone(d.servers), d.plain) {
		dialClient(d.T, each.address).must(d, remove.String())
	}
}

// run sends about n commands, in batches with one command per key. Each batch goes to one of the proxies. Stale items do not
// move, so that only the first proxy gets the keys of stale items.
func (d *difference) run(n int, proxies ...*client) {
	all := keys()
	for d.count += n; n > 0; {
		at := d.IntN(len(proxies))
		batch := strings.Builder{}
		d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, key := range all[:min(40, n)] {
			if key[0] == 's' && at > 0 {
				key = "w" + key
			}
			batch.WriteString(d.command(key))
			n--
		}
		d.compare(batch.String(), proxies[at])
	}
}

// forgetStates deletes the items that may be stale or waiting for a client that recaches them.
func (d *difference) forgetStates(proxy *client) {
	batch := strings.Builder{}
	for _, key := range keys() {
		if key[0] == 's' {
			batch.WriteString("delete " + key + "\r\n")
		}
	}
	d.compare(batch.String(), proxy)
}

// readAll reads every key once, as the clients do in a warm-up, and in one command.
func (d *difference) readAll(proxy *client) {
	batch := strings.Builder{}
	var text []string
	for _, key := range append(keys(), "ws0") {
		if key[0] == 'b' {
			batch.WriteString("mg " + key + " b k v f s t\r\n")
		} else {
			text = append(text, key)
		}
	}
	for i := range 30 {
		text = append(text, "ws"+strconv.Itoa(4*i))
	}
	d.compare(batch.String()+"gets "+strings.Join(text, " ")+"\r\n", proxy)
}

// compare sends commands to the one server and to a proxy.
func (d *difference) compare(commands string, proxy *client) {
	d.Helper()
	if d.expected == nil {
		d.expected = dialClient(d.T, d.plain.address)
		d.cas = map[string]string{}
	}
	proxy.cas = d.cas // the proxies have the same servers
	want, got := d.expected.must(d, d.expected.withCAS(commands)), proxy.must(d, proxy.withCAS(commands))
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			d.Fatalf("the proxy has %d more responses: %.300q\nto:\n%.3000s", len(got)-i, got[i:], commands)
		case i >= len(got):
			d.Fatalf("the proxy has %d fewer responses: %.300q\nto:\n%.3000s", len(want)-i, want[i:], commands)
		case !equal(want[i], got[i]):
			d.Fatalf("response %d of the proxy is %.300q, want %.300q\nto:\n%.3000s", i, got[i], want[i], commands)
		}
	}
}

// equal reports whether two responses are equal except for CAS uniques, the TTL within five seconds, and the lines for
// debugging.
func equal(a, b response) bool {
	left, right := strings.Fields(a.line), strings.Fields(b.line)
	if a.value != b.value || len(left) != len(right) || len(left) == 0 {
		return a == b
	}
	for i := range left {
		unique := left[0] == "VALUE" && i == 4
		if left[i] != right[i] && !unique && (i == 0 || left[0] != "ME" && !equalFlag(left[i], right[i])) {
			return false
		}
	}
	return true
}

// equalFlag compares flags of meta responses.
func equalFlag(a, b string) bool {
	if a[0] != b[0] || a[0] != 't' {
		return a[0] == b[0] && a[0] == 'c'
	}
	x, errX := strconv.Atoi(a[1:])
	y, errY := strconv.Atoi(b[1:])
	if x > math.MaxInt32 { // mg returns this TTL of an item that its flag T expires. Through a proxy, it returns the former one.
		return true
	}
	return errX == nil && errY == nil && min(x, y) > 0 && max(x, y)-min(x, y) <= 5
}
