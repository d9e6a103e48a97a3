package advise

import (
	"cmp"
	"math"
	"slices"
)

// begin returns caches with a part of the items of the server, by slab class: those that were used last.
func (t *Trace) begin(r rules, factor float64) map[uint8]*lru {
	caches := map[uint8]*lru{}
	for class, items := range t.classes() {
		caches[class] = newLRU(r, int(math.Round(items*factor)))
	}
	oldestFirst := func(a, b Item) int { return cmp.Compare(b.Age, a.Age) }
	for _, item := range slices.SortedStableFunc(slices.Values(t.Items), oldestFirst) {
		cache, time := caches[item.Class], -int64(item.Age)
		cache.set(item.Key, time)
		if item.Fetched { // at least once, and the listing does not say when
			cache.get(item.Key, time)
		}
	}
	return caches
}

// classes counts the items of the slab classes at the begin.
func (t *Trace) classes() map[uint8]float64 {
	items := map[uint8]float64{}
	for _, item := range t.Items {
		items[item.Class]++
	}
	return items
}

// replay returns the number of gets that hit in caches with a part of the items, and the age in seconds at which they evict items that
// were never read. Like real clients, it stores what they miss.
func (t *Trace) replay(r rules, factor float64) (hits, unread float64) {
	caches := t.begin(r, factor)
	for _, e := range t.Events {
		cache, now := caches[e.Class], int64(e.Millis)/1000
		switch e.Kind {
		case Hit:
			if cache == nil || cache.get(e.Key, now) {
				hits++
			} else {
				cache.set(e.Key, now)
			}
		case Miss: // the item was deleted, has expired, or was evicted even from more memory
			for _, cache := range caches {
				cache.remove(e.Key)
			}
		case Stored:
			if cache != nil {
				cache.set(e.Key, now)
			}
		}
	}
	count := 0.0
	for _, cache := range caches {
		unread, count = unread+cache.unread, count+cache.unreadCount
	}
	return hits, unread / max(1, count)
}

// ghosts are the items that a slab class has evicted in the interval and not stored again, in the order of the evictions. They
// are the items that a server with more memory would have.
type ghosts struct {
	order
	// returned counts the gets of ghosts, and exposed all gets while there were as many ghosts; both by the number of
	// younger ghosts, in steps of a part of the items.
	returned, exposed [maxSteps]float64
	step              float64
}

const (
	// steps is the resolution of the counts for more memory: the number of steps to twice the memory.
	steps    = 16
	maxSteps = steps * (maxFactor - 1)
)

// more returns how much more of all gets hit in caches with more memory, in steps as far as the evictions in the interval reach. If
// nearly all misses of the second half are gets of ghosts, then all items fit into the memory that has them too.
func (t *Trace) more() (gained []float64) {
	classes := map[uint8]*ghosts{}
	for class, items := range t.classes() {
		classes[class] = &ghosts{order: newOrder(len(t.Events)), step: items / steps}
	}
	type place struct {
		*ghosts
		index int
	}
	evicted := map[uint64]place{}
	var late struct{ returned, unknown float64 }
	for i, e := range t.Events {
		switch g := classes[e.Class]; {
		case e.Kind == Evicted && g != nil:
			evicted[e.Key] = place{g, i}
			g.add(i, 1)
		case e.Kind == Hit:
			expose(classes)
		case e.Kind == Miss:
			expose(classes)
			at, ok := evicted[e.Key]
			if ok {
				at.count(at.index)
			}
			switch {
			case i < len(t.Events)/2:
			case ok:
				late.returned += 2 // in half of the interval
			default:
				late.unknown += 2
			}
			fallthrough
		default:
			if at, ok := evicted[e.Key]; ok && e.Kind != Evicted {
				at.add(at.index, -1)
				delete(evicted, e.Key)
			}
		}
	}
	gets, sum := float64(t.gets()), 0.0
	for step := range maxSteps {
		rate, covered := 0.0, 0.0
		for class, items := range t.classes() {
			if g := classes[class]; g.exposed[step] >= minExposed*gets {
				rate += g.returned[step] / g.exposed[step] * gets / t.expected()
				covered += items / float64(len(t.Items))
			}
		}
		switch {
		case covered >= minClasses:
			sum += rate / covered
			gained = append(gained, sum)
		case late.unknown > maxUnknown*t.expected():
			return gained
		default:
			return append(gained, slices.Repeat([]float64{late.returned / t.expected()}, maxSteps-step)...)
		}
	}
	return gained
}

const (
	// minExposed is the part of the gets that a count needs.
	minExposed = 0.05
	// minClasses is the part of the items whose slab classes must have evicted enough. The others get the mean of these.
	minClasses = 0.8
	// maxUnknown is the part of the gets that may miss keys other than ghosts if all items fit into more memory.
	maxUnknown = 0.005
)

// expose notes a get.
func expose(classes map[uint8]*ghosts) {
	for _, g := range classes {
		for step := range min(maxSteps, int(float64(g.total)/g.step)) {
			g.exposed[step]++
		}
	}
}

// count notes the get of a ghost.
func (g *ghosts) count(index int) {
	if step := int(float64(g.after(index)) / g.step); step < min(maxSteps, int(float64(g.total)/g.step)) {
		g.returned[step]++
	}
}

// stores counts the stores in the first half of the interval, and those of keys that no client requested in the whole interval.
func (t *Trace) stores() (all, unrequested float64) {
	requested := map[uint64]bool{}
	for _, e := range t.Events {
		requested[e.Key] = requested[e.Key] || e.Kind == Hit || e.Kind == Miss
	}
	for _, e := range t.Events[:len(t.Events)/2] {
		if e.Kind == Stored {
			all++
			if !requested[e.Key] {
				unrequested++
			}
		}
	}
	return all, unrequested
}

// expected is the number of gets of the sample if its keys are as popular as the others. A few keys have most of the gets, so that a
// sample without them has too few. They hit in any memory.
func (t *Trace) expected() float64 { return max(1, float64(t.Gets)*t.Part) }

// gets counts the gets of the sample.
func (t *Trace) gets() (n int) {
	for _, e := range t.Events {
		if e.Kind == Hit || e.Kind == Miss {
			n++
		}
	}
	return n
}

// hits counts the gets of the sample that hit.
func (t *Trace) hits() (n float64) {
	for _, e := range t.Events {
		if e.Kind == Hit {
			n++
		}
	}
	return n
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
