package advise

import "slices"

// ghosts are the items that a slab class has evicted in the interval and not stored again, in the order of the evictions. They
// are the items that a server with more memory would have.
type ghosts struct {
	order
	items, evictions int
	// returned counts the gets of ghosts by the number of younger ghosts, and levels all gets by the number of ghosts; both in
	// steps of a part of the items.
	returned, levels [maxSteps + 1]float64
}

const (
	// steps is the resolution of the counts for more memory: the number of steps to twice the memory.
	steps    = 16
	maxSteps = steps * (maxFactor - 1)
	// minExposed is the part of the gets that a count needs.
	minExposed = 0.05
	// minClasses is the part of the items whose slab classes must have evicted enough. The others get the mean of these.
	minClasses = 0.8
	// maxUnknown is the part of the gets that may miss keys other than ghosts if all items fit into more memory.
	maxUnknown = 0.005
)

// more returns how much more of all gets hit in caches with more memory, in steps as far as the evictions in the interval reach. If
// nearly all misses of the second half are gets of ghosts, then all items fit into the memory that has them too.
func (t *Trace) more() (gained []float64) {
	classes, late := t.ghosts()
	gets, expected, sum := float64(t.gets()), t.expected(), 0.0
	for step := range maxSteps {
		rate, covered := 0.0, 0.0
		for _, g := range classes {
			if exposed := g.exposed(step); exposed >= minExposed*gets {
				rate += g.returned[step] / exposed * gets / expected
				covered += float64(g.items) / float64(len(t.Items))
			}
		}
		switch {
		case covered >= minClasses:
			sum += rate / covered
			gained = append(gained, sum)
		case late.others > maxUnknown*expected/2:
			return gained
		default:
			return append(gained, slices.Repeat([]float64{late.ghosts / (expected / 2)}, maxSteps-step)...)
		}
	}
	return gained
}

// misses counts those of ghosts and others.
type misses struct{ ghosts, others float64 }

func (m *misses) count(isGhost bool) {
	if isGhost {
		m.ghosts++
	} else {
		m.others++
	}
}

// newGhosts returns the slab classes without ghosts.
func (t *Trace) newGhosts() map[uint8]*ghosts {
	classes := map[uint8]*ghosts{}
	for class, items := range t.classes() {
		classes[class] = &ghosts{items: int(items)}
	}
	for _, e := range t.Events {
		if g := classes[e.Class]; g != nil && e.Kind == Evicted {
			g.evictions++
		}
	}
	for _, g := range classes {
		g.order, g.evictions = newOrder(g.evictions), 0
	}
	return classes
}

// ghosts returns the ghosts of each slab class, and the misses in the second half of the interval.
func (t *Trace) ghosts() (classes map[uint8]*ghosts, late misses) {
	classes = t.newGhosts()
	type place struct {
		*ghosts
		index int
	}
	evicted := map[uint64]place{}
	for i, e := range t.Events {
		if g := classes[e.Class]; e.Kind == Evicted {
			if g != nil {
				evicted[e.Key] = place{g, g.evictions}
				g.add(g.evictions, 1)
				g.evictions++
			}
			continue
		}
		if e.Kind == Hit || e.Kind == Miss {
			for _, g := range classes {
				g.levels[g.level(g.total)]++
			}
		}
		at, isGhost := evicted[e.Key]
		if e.Kind == Miss && i >= len(t.Events)/2 {
			late.count(isGhost)
		}
		if !isGhost {
			continue
		}
		if step := at.level(at.after(at.index)); e.Kind == Miss && step < at.level(at.total) {
			at.returned[step]++
		}
		at.add(at.index, -1)
		delete(evicted, e.Key)
	}
	return classes, late
}

// level returns a number of ghosts in steps.
func (g *ghosts) level(n int) int { return min(maxSteps, n*steps/g.items) }

// exposed returns the number of gets while there were ghosts for a whole step.
func (g *ghosts) exposed(step int) (gets float64) {
	for _, n := range g.levels[step+1:] {
		gets += n
	}
	return gets
}

// order counts positions in a Fenwick tree.
type order struct {
	tree  []int
	total int
}

func newOrder(positions int) order { return order{tree: make([]int, positions+1)} }

func (o *order) add(position, n int) {
	o.total += n
	for i := position + 1; i < len(o.tree); i += i & -i {
		o.tree[i] += n
	}
}

// after returns the number of positions after a position.
func (o *order) after(position int) int {
	before := 0
	for i := position + 1; i > 0; i -= i & -i {
		before += o.tree[i]
	}
	return o.total - before
}
