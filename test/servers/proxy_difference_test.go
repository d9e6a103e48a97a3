//go:build servers

package servers

import (
	"crypto/tls"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/moves"
)

var (
	proxySeed      = flag.Uint64("proxy-seed", 1, "seed of the random commands and schedules; 0 is the time")
	proxySequences = flag.Int("proxy-sequences", 2000, "number of sequences of random commands")
)

const maxFailures = 10

// TestProxyBehavesAsOneServer sends random commands, valid or not, to one memcached and to proxies that change the servers, and compares
// the bytes of the responses. Two proxies with opposite configurations serve at the same time, as during a rollout.
func TestProxyBehavesAsOneServer(t *testing.T) {
	// An item that the LRU maintainer is about to move is copied by decr, which otherwise fills the shorter number with spaces.
	options := []string{"-o", "no_lru_maintainer,slab_chunk_max=64", "-I", strconv.Itoa(maxItem), "-m", "1024"}
	four, one := addresses(startServers(t, 4, options...)), startServers(t, 1, options...)[0]
	changed := func(name string, from, to []string) *change {
		return &change{name: name, one: one.address, proxies: startPhases(t, from, to)}
	}
	ours := ca.New()
	secured := &change{name: "3 to 4 with TLS", one: one.address, proxies: startPhases(t, four[:3], four, tlsArgs(t, required, ours)...), tls: trusting(ours)}
	changes := []*change{
		changed("to other servers", four[:2], four[2:]), changed("3 to 4", four[:3], four), changed("4 to 3", four, four[:3]),
		changed("one place gets another server", four[:3], []string{four[0], four[3], four[2]}),
		secured,
	}
	seed := randomSeed()
	g, start, count, failed, unserved := generator{rand.New(rand.NewPCG(seed, 0))}, time.Now(), 0, 0, 0
	for n := range *proxySequences {
		s, change := g.sequence(), changes[n%len(changes)]
		count += len(s.steps)
		if difference := change.difference(s); difference != "" {
			t.Errorf("-proxy-seed=%d: sequence %d, %s: %s", seed, n+1, change.name, s.shortest(difference, change.difference))
			if failed++; failed == maxFailures {
				t.FailNow()
			}
		}
	}
	for _, each := range changes {
		unserved += each.unserved
	}
	if most := 1 + *proxySequences/500; unserved > most {
		t.Errorf("in %d sequences the proxy did not reach a server, want at most %d", unserved, most)
	}
	fmt.Printf("proxy: %d random commands in %d sequences have equal responses from one server and from proxies with -proxy-seed=%d, %d unserved (%.0f s)\n",
		count, *proxySequences, seed, unserved, time.Since(start).Seconds())
}

// randomSeed returns the seed of a test.
func randomSeed() uint64 {
	if *proxySeed == 0 {
		return uint64(time.Now().UnixNano())
	}
	return *proxySeed
}

// startPhases starts the proxies before, in, and after a change of the servers, and returns their addresses.
func startPhases(t *testing.T, from, to []string, args ...string) []string {
	t.Helper()
	proxies := []server{startProxy(t, from, args...)}
	for _, phase := range []moves.ProxyPhase{moves.Announcing, moves.Preparing, moves.Warming, moves.Closing} {
		proxies = append(proxies, startConfigured(t, phaseConfig(phase, from, to), args...))
	}
	proxies = append(proxies, startProxy(t, to, args...))
	for _, each := range proxies {
		t.Cleanup(func() { expectNoLuaError(t, each) })
	}
	return addresses(proxies)
}

// warming is the index of the proxies that move items, and keys are what a sequence uses.
const warming = 3

var sequenceKeys = []string{"{t0}", "{t1}", "{t2}", "{n0}", "{b0}", "{s0}", "{l0}"}

// sequence returns commands for one or two proxies at a time. A window of 2*i is proxy i, and 2*i+1 are the proxies i and i+1.
func (g generator) sequence() sequence {
	var s sequence
	all := slices.Clone(sequenceKeys)
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+g.IntN(3)]
	first := g.IntN(11)
	last := min(first+max(g.IntN(8)-3, 0), 10)
	for window := first; window <= last; window++ {
		for range 1 + g.IntN(8) {
			key := all[g.IntN(len(all))]
			proxy := window/2 + g.IntN(1+window%2)
			if key[1] == 's' { // stale items do not move
				proxy = window / 2
			}
			next := step{2*proxy + g.IntN(5)/4, g.command(key), false}
			s.steps = append(s.steps, next)
			if next.removes() {
				words := []string{"ms", key, "{size}", "q", "b"}[:4+strings.Count(key, "b")]
				next.request, next.fixed = request{words: words, value: "5000000", stores: true, spacing: " ", end: "\r\n"}, true
				s.steps = append(s.steps, next)
			}
		}
		if window == 2*warming { // closing deletes what no client has read, and stale items
			for _, key := range all {
				words := map[byte][]string{'b': {"mg", key, "b", "v"}, 's': {"delete", key}}[key[1]]
				if words == nil {
					words = []string{"get", key}
				}
				s.steps = append(s.steps, step{2 * warming, request{words: words, spacing: " ", end: "\r\n"}, true})
			}
		}
	}
	s.seed = g.Uint64()
	return s
}

// change has the addresses of one server, and of the proxies before, in, and after a change of the servers.
type change struct {
	name, one string
	proxies   []string
	// tls is how the client connects to the proxies; nil without TLS.
	tls *tls.Config
	// unserved counts sequences that met a connection that the proxy has closed because the server refused an earlier command.
	unserved int
}

// difference returns how the responses of proxies and of one server differ, or nothing.
func (c *change) difference(s sequence) string {
	runs++
	want := s.play(to(c.one, nil))
	got := s.play(func(i int) (net.Conn, error) { return dial(c.proxies[i/2], c.tls) })
	for i, exchange := range s.exchanges() {
		first := exchange[0].request
		if first.comparable(want[i]) == first.comparable(got[i]) || first.unlike() && strings.HasSuffix(got[i], fence) {
			continue
		}
		if strings.Contains(got[i], "SERVER_ERROR backend failure\r\n") {
			c.unserved++
			return ""
		}
		return fmt.Sprintf("exchange %d: got %s\nwant %s", i+1, brief(got[i]), brief(want[i]))
	}
	return ""
}
