//go:build !race

package scaling

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"
)

var (
	sizes = flag.Int("sizes", maxSize, "explore sizes from 0 to this one")
	pairs = flag.Bool("pairs", false, "explore two kinds of faults at the same time")
)

// TestExplore visits every state that a small cluster can reach, in any order of events, and checks the invariants of a change
// of size. From every state, the desired state is reached if nothing else happens, and then nothing is written any more.
func TestExplore(t *testing.T) {
	all := spacesAndFaults()
	if *pairs {
		all = pairsOfFaults()
	}
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			s.sizes, s.numbers, s.decisions = min(cmp.Or(s.sizes, maxSize), int8(*sizes)), map[snapshot]int32{}, map[observation]decision{}
			x := &exploration{space: &s, T: t, numbers: map[world]int32{}}
			x.explore()
			t.Logf("%s: %d states, %d decisions in %s", name, len(x.worlds), len(s.decisions), time.Since(start).Round(time.Millisecond))
		})
	}
}

// An exploration has the states that were found, and the state from which each was found first.
type exploration struct {
	*testing.T
	*space
	worlds  []world
	parents []int32
	numbers map[world]int32
}

// explore visits all states.
func (x *exploration) explore() {
	start := world{size: 1, desired: true, status: lostStatus}
	x.found(start.normal(x.forgets()), 0)
	for at := int32(0); at < int32(len(x.worlds)) && !x.Failed(); at++ {
		w := x.worlds[at]
		if at > 10000000 {
			x.Errorf("too many states; %d queued; %s", len(x.worlds)-int(at), x.trace(at))
		}
		x.events(w, func(name string, next world) {
			if problem := x.check(name, w, next); problem != "" && !x.Failed() {
				x.Errorf("violates the invariant that %s:\n%s%s: %s", problem, x.trace(at), name, next)
			}
			x.found(next.normal(x.forgets()), at)
		})
	}
	if !x.Failed() {
		x.converge()
	}
}

func (x *exploration) found(w world, from int32) {
	if _, found := x.numbers[w]; found {
		return
	}
	x.numbers[w] = int32(len(x.worlds))
	x.worlds, x.parents = append(x.worlds, w), append(x.parents, from)
}

// trace returns the events that lead to a state.
func (x *exploration) trace(at int32) string {
	var path []int32
	for ; at != 0; at = x.parents[at] {
		path = append(path, at)
	}
	text := strings.Builder{}
	before := x.worlds[0]
	for i := range path {
		w := x.worlds[path[len(path)-1-i]]
		x.events(before, func(name string, next world) {
			if next.normal(x.forgets()) == w {
				fmt.Fprintf(&text, "%s: %s\n", name, w)
				w.size = -1 // only the first event
			}
		})
		before = x.worlds[path[len(path)-1-i]]
	}
	return text.String()
}

func (w world) String() string {
	text := fmt.Sprintf("size %d, proxies desired %t; %+v, servers %v", w.size, w.desired, w.workloads, w.servers)
	return text + fmt.Sprintf("; %+v, running %v; status %+v; warmed %t; %+v, copied %t, cleaned %t, claims %t", w.deployment, w.running(), w.status, w.warmed, w.copy, w.copied, w.cleaned, w.claims)
}
