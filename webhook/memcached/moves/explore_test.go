//go:build !race

package moves

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
			s.sizes, s.snapshots, s.observations = min(cmp.Or(s.sizes, maxSize), int8(*sizes)), newNumbered[snapshot](), newNumbered[observation]()
			x := &exploration{space: &s, T: t, worlds: newNumbered[world]()}
			x.explore()
			t.Logf("%s: %d states, %d decisions in %s", name, len(x.worlds.values), len(s.decisions), time.Since(start).Round(time.Millisecond))
		})
	}
}

// An exploration has the states that were found, and the state from which each was found first.
type exploration struct {
	*testing.T
	*space
	worlds  *numbered[world]
	parents []int32
}

// explore visits all states.
func (x *exploration) explore() {
	start := world{objects: objects{size: max(1, x.least), desired: true, status: lostStatus}, nodes: x.nodes, evictions: x.evictions}
	x.found(x.normal(start), 0)
	for at := int32(0); at < int32(len(x.worlds.values)) && !x.Failed(); at++ {
		w := x.worlds.values[at]
		if at > 10000000 {
			x.Errorf("too many states; %d queued; %s", len(x.worlds.values)-int(at), x.trace(at))
		}
		x.events(w, func(name string, next world) {
			if problem := x.check(name, w, next); problem != "" && !x.Failed() {
				x.Errorf("violates the invariant that %s:\n%s%s: %s", problem, x.trace(at), name, next)
			}
			x.found(x.normal(next), at)
		})
	}
	if !x.Failed() {
		x.converge()
	}
}

func (x *exploration) found(w world, from int32) {
	if _, found := x.worlds.add(w); !found {
		x.parents = append(x.parents, from)
	}
}

// trace returns the events that lead to a state.
func (x *exploration) trace(at int32) string {
	var path []int32
	for ; at != 0; at = x.parents[at] {
		path = append(path, at)
	}
	text := strings.Builder{}
	before := x.worlds.values[0]
	for i := range path {
		w := x.worlds.values[path[len(path)-1-i]]
		x.events(before, func(name string, next world) {
			if x.normal(next) == w {
				fmt.Fprintf(&text, "%s: %s\n", name, w)
				w.size = -1 // only the first event
			}
		})
		before = x.worlds.values[path[len(path)-1-i]]
	}
	return text.String()
}

func (w world) String() string {
	text := fmt.Appendf(nil, "size %d, template %d", w.size, w.template)
	if !w.desired {
		text = append(text, ", no proxies"...)
	}
	if w.cold {
		text = append(text, ", no warm-up"...)
	}
	if w.set.exists {
		text = fmt.Appendf(text, "; runs %s, partition %d, template %d, current %d", w.set.run(), w.set.partition, w.set.template, w.set.current)
	}
	for i, server := range w.servers {
		if server.exists {
			text = fmt.Appendf(text, ", server %d %+v", i, server)
		}
	}
	if d := w.deployment; d.exists {
		text = fmt.Appendf(text, "; %d of %s", d.replicas, d.routes.routes())
	}
	for _, pod := range w.running() {
		text = fmt.Appendf(text, ", runs %s", pod.routes.routes())
	}
	s := w.status
	text = fmt.Appendf(text, "; status %s, revision %d, %s %s %d to %d until %d, recorded %s", s.routes.routes(), s.revision, movePhases[s.phase], purposes[s.purpose], s.from, s.to, s.until, s.recorded.servers())
	return string(fmt.Appendf(text, "; warmed %t, Job %+v, copied %t, cleaned %t, claims %t, before %d", w.warmed, w.copy, w.copied, w.cleaned, w.claims, w.before))
}
