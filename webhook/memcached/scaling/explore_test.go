//go:build !race

package scaling

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestExplore visits every state that a small cluster can reach, in any order of events, and checks the invariants of a change
// of size. From every state, the desired state is reached if nothing else happens, and then nothing is written any more.
func TestExplore(t *testing.T) {
	for name, s := range spaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			s.numbers = map[snapshot]int32{}
			x := &exploration{space: &s, T: t, numbers: map[world]int32{}}
			x.explore()
			t.Logf("%d states in %s", len(x.worlds), time.Since(start).Round(time.Millisecond))
		})
	}
}

var spaces = map[string]space{
	"warm-up":                {sizes: 3, warmup: 60, clocks: []int16{0}},
	"no warm-up":             {sizes: 3, clocks: []int16{0}},
	"steps of 1":             {sizes: 3, warmup: 60, maxStep: 1, clocks: []int16{0}},
	"steps of 1, no warm-up": {sizes: 3, maxStep: 1, clocks: []int16{0}},
	"clocks":                 {sizes: 2, warmup: 60, clocks: []int16{0, skew}},
	"losses":                 {sizes: 2, warmup: 60, clocks: []int16{0}, losses: true},
	"failures":               {sizes: 2, warmup: 60, clocks: []int16{0}, failures: true},
	"losses, steps of 1":     {sizes: 2, warmup: 60, maxStep: 1, clocks: []int16{0}, losses: true},
	"unobserved":             {sizes: 2, warmup: 60, clocks: []int16{0}, unobserved: true},
	"late parents":           {sizes: 2, warmup: 60, clocks: []int16{0}, late: "parent"},
	"late StatefulSets":      {sizes: 2, warmup: 60, clocks: []int16{0}, late: "workload"},
	"late Deployments":       {sizes: 2, warmup: 60, clocks: []int16{0}, late: "deployment"},
	"late pods":              {sizes: 2, warmup: 60, clocks: []int16{0}, late: "pods"},
	"switches":               {sizes: 2, warmup: 60, clocks: []int16{0}, switches: true},
	"switches, steps of 1":   {sizes: 2, warmup: 60, maxStep: 1, clocks: []int16{0}, switches: true},
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
	start := world{size: 1, desired: true, marks: never, workload: workloadWorld{addedFor: none}, status: statusWorld{until: never, step: never}}
	x.found(start.normal(x.forgets()), 0)
	for at := int32(0); at < int32(len(x.worlds)) && !x.Failed(); at++ {
		w := x.worlds[at]
		if at > 1000000 {
			x.Errorf("too many states; %d queued; %s", len(x.worlds)-int(at), x.trace(at))
		}
		x.events(w, func(name string, next world) {
			if problem := x.check(w, next); problem != "" && !x.Failed() {
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

// converge checks that every state leads to the desired state, which then stays.
func (x *exploration) converge() {
	good := map[world]bool{}
	for number, w := range x.worlds {
		path := []world{}
		for at := w; !good[at]; {
			if len(path) > 100 {
				x.Errorf("does not reach the desired state:\n%s\nthen %s\n%s", x.trace(int32(number)), path[len(path)-2], path[len(path)-1])
				return
			}
			path = append(path, at)
			next := x.calm(at)
			if next == at {
				if !x.reached(at) {
					x.Errorf("stays in another state than the desired one:\n%s\n%s", x.trace(int32(number)), at)
					return
				}
				good[at] = true
			}
			at = next
		}
		for _, at := range path {
			good[at] = true
		}
	}
}

func (w world) String() string {
	text := fmt.Sprintf("size %d, proxies desired %t; %+v, servers %v", w.size, w.desired, w.workload, w.servers)
	return text + fmt.Sprintf("; %+v, running %v; status %+v; warm %d s, marks until %d", w.deployment, w.running(), w.status, w.warm, w.marks)
}
