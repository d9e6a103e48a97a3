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

// classes counts the items of the slab classes at the start.
func (t *Trace) classes() map[uint8]float64 {
	items := map[uint8]float64{}
	for _, item := range t.Items {
		items[item.Class]++
	}
	return items
}

// replay returns the number of gets that hit in caches with a part of the items. Like real clients, it stores what they miss.
func (t *Trace) replay(r rules, factor float64) (hits float64) {
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
	return hits
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
