//go:build servers

package servers

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/internal/paired"
	"github.com/example/memcached-operator/webhook/memcached/moves"
)

var full = flag.Bool("full", false, "change full servers with each size of items, for an hour")

const (
	// overfilled is how many bytes of items are stored, for each byte of memory of the servers before the change.
	overfilled = 1.5
	// maxBehind is by how many percent points the hit ratio of a second may be below that of the control.
	maxBehind = 0.5
	// minKept is the share of the items of the control that a change keeps. In the fast test it is minKeptFast: ages have a unit of a second,
	// and its servers evict a large part of their items in each.
	minKept, minKeptFast = 0.99, 0.98
	// minReads is the number of reads from which a second counts.
	minReads = 1000
)

// fullCase is a change of full servers, which have values of some sizes.
type fullCase struct {
	items     string
	sizes     paired.Sizes
	serverMiB int
	reads     int           // per second, from each cache
	rate      int           // of the Job
	together  time.Duration // for which proxies of two phases serve
	filling   time.Duration // for which items are stored before the change
}

// The sizes of each case include counters. Without small values, the empty items by which proxies move items would take one page of memory
// from the other items of a server that starts empty: 1 MiB.
var (
	fast = []fullCase{{"500 B", paired.Sizes{500, 500, paired.CounterSize}, 8, 3000, 50_000, 300 * time.Millisecond, time.Second}}
	slow = []fullCase{
		{"100 B", paired.Sizes{100, 100, paired.CounterSize}, 64, 5000, 10_000, 5 * time.Second, time.Minute},
		{"500 B", paired.Sizes{500, 500, paired.CounterSize}, 64, 5000, 10_000, 5 * time.Second, time.Minute},
		{"2 kB", paired.Sizes{2000, 2000, paired.CounterSize}, 64, 5000, 10_000, 5 * time.Second, time.Minute},
		{"8 kB", paired.Sizes{8000, 8000, paired.CounterSize}, 256, 5000, 10_000, 5 * time.Second, time.Minute},
		{"mixed", paired.Sizes{100, 500, 2000, 8000, paired.CounterSize}, 64, 5000, 10_000, 5 * time.Second, time.Minute},
	}
)

// fullChange is a change from some servers to others. They have the first ones in common, or none.
type fullChange struct {
	name     string
	from, to int
	others   bool
}

var fullChanges = []fullChange{
	{"3 to 4", 3, 4, false},
	{"4 to 3", 4, 3, false},
	{"to 3 others", 3, 3, true},
}

// fullSteps are the phases of the proxies, and what the operator does when all proxies are in the phase.
var fullSteps = []struct {
	phase moves.ProxyPhase
	then  func(*changingCache)
}{
	{moves.Announcing, (*changingCache).prepareServers},
	{moves.Preparing, nil},
	{moves.Warming, (*changingCache).copyAll},
	{moves.Closing, nil},
	{moves.Steady, (*changingCache).removeServers},
}

// TestProxyFullServers changes the servers of a cache in use: they evict items, while clients read by a Zipf distribution, store what
// they miss, write and delete. The phases follow each other as in a cluster, each with a rollout of the proxies.
//
// A second cache, the control, has the same load and does not change. It has the smaller number of servers of the change, also before
// a decrease: no cache of three servers can keep what four had, but what three would have had must be there. All items count that the
// control has at the end, whether or not a client ever reads them.
//
// With -full, the test measures each size of items, with the default rate of the Job.
func TestProxyFullServers(t *testing.T) {
	cases := fast
	if *full {
		cases = slow
	}
	fmt.Println(fullHeader)
	for _, c := range cases {
		for _, change := range fullChanges {
			t.Run(c.items+" "+change.name, func(t *testing.T) { testFull(t, c, change) })
		}
	}
}

func testFull(t *testing.T, c fullCase, change fullChange) {
	memory := []string{"-m", strconv.Itoa(c.serverMiB)}
	unchanging := startServers(t, min(change.from, change.to), memory...)
	d := &changingCache{T: t, fullCase: c, servers: startServers(t, change.from, memory...)}
	d.from = addresses(d.servers)
	if !change.others {
		d.to = slices.Clone(d.from[:min(change.from, change.to)])
	}
	for len(d.to) < change.to {
		d.to = append(d.to, freeAddress(t))
	}
	d.load = c.newLoad(change.from)
	d.load.To[paired.Control].Set(startProxy(t, addresses(unchanging)).address, startProxy(t, addresses(unchanging)).address)
	d.rollout(moves.Steady, d.from, d.from)
	if err := d.load.Fill(t.Context(), c.filling); err != nil {
		t.Fatal(err)
	}
	if change.to < change.from {
		d.leaveGarbage()
	}
	stop := d.load.Run(t.Context())
	time.Sleep(2 * time.Second) // clients store the most frequent items again that the fill has evicted

	evictedBefore := [paired.Caches]int{evictions(t, d.servers), evictions(t, unchanging)}
	began := len(d.load.Seconds())
	for _, step := range fullSteps {
		d.phases = append(d.phases, phaseStart{len(d.load.Seconds()) - began, step.phase})
		if step.phase == moves.Steady {
			d.from = d.to
		}
		d.rollout(step.phase, d.from, d.to)
		if step.then != nil {
			step.then(d)
		}
	}
	seconds := d.load.Seconds()[began:]
	stop()
	result := fullResult{name: c.items + ", " + change.name, seconds: seconds, phases: d.phases,
		evictions: [paired.Caches]int{d.evicted + evictions(t, d.servers) - evictedBefore[paired.Changed], evictions(t, unchanging) - evictedBefore[paired.Control]}}
	result.count(t, d.load)
	want := minKept
	if !*full {
		want = minKeptFast
	}
	result.check(t, d.load, want)
	for _, each := range d.proxies {
		expectNoLuaError(t, each)
	}
}

// newLoad returns a load whose items do not fit into a number of servers.
func (c fullCase) newLoad(servers int) *paired.Load {
	return paired.New(c.sizes, c.sizes.ItemsFor(int(overfilled*float64(servers*c.serverMiB<<20))), c.reads)
}
