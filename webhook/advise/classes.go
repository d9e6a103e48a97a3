package advise

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// class is what a server reports about a slab class.
type class struct {
	id     int
	sample *Sample
	listed *ListedClass
}

// classes returns the slab classes with items, in the order of their sizes.
func (s *Sample) classes() []class {
	var ids []int
	for name := range s.After.Items {
		if rest, ok := strings.CutPrefix(name, "items:"); ok {
			if id, found := strings.CutSuffix(rest, ":number"); found {
				if n, err := strconv.Atoi(id); err == nil {
					ids = append(ids, n)
				}
			}
		}
	}
	slices.Sort(ids)
	all := make([]class, len(ids))
	for i, id := range ids {
		all[i] = class{id: id, sample: s}
		if s.Listing != nil {
			all[i].listed = s.Listing.Classes[id]
		}
	}
	return all
}

// item returns a statistic of "stats items", and its change per second.
func (c class) item(name string) (value, rate float64) {
	name = fmt.Sprintf("items:%d:%s", c.id, name)
	value = c.sample.After.Items.number(name)
	return value, (value - c.sample.Before.Items.number(name)) / c.sample.Seconds
}

// slab returns a statistic of "stats slabs".
func (c class) slab(name string) float64 {
	return c.sample.After.Slabs.number(fmt.Sprintf("%d:%s", c.id, name))
}

// age returns the age at which an item is evicted that no client gets. The oldest item in COLD, whose age memcached reports, may
// have been in WARM before, so the listing is more exact.
func (c class) age() float64 {
	const enough = 300 // items
	if c.listed != nil {
		ages := c.listed.Ages
		if c.segments() {
			ages = histogram{}
			for _, unfetched := range c.listed.Unfetched {
				ages.merge(unfetched)
			}
			if forever := c.listed.Unfetched[noTTL]; forever != nil && forever.from(0) > enough {
				ages = *forever
			}
		}
		if ages.from(0) > enough {
			return max(1, ages.end())
		}
	}
	age, _ := c.item("age")
	return max(1, age)
}

// evicts reports whether the class evicted items in the interval.
func (c class) evicts() bool {
	_, evicted := c.item("evicted")
	return evicted > 0
}

// segments reports whether the LRU has segments, as by default.
func (c class) segments() bool { return c.sample.Settings["lru_segmented"] == "yes" }

// observe returns what the method needs to know of a class.
func (c class) observe() observation {
	s := c.sample
	o := observation{age: c.age(), evicts: c.evicts(), segments: c.segments()}
	_, o.hits.hot = c.item("hits_to_hot")
	_, o.hits.warm = c.item("hits_to_warm")
	_, o.hits.cold = c.item("hits_to_cold")
	o.items.hot, _ = c.item("number_hot")
	o.items.warm, _ = c.item("number_warm")
	o.items.cold, _ = c.item("number_cold")
	part := 1.0
	if !s.Listing.Complete {
		items, _ := c.item("number")
		part = items / c.listed.Items
	}
	// Some clients store items without a miss before. Only a store after a miss starts a wait for the next get.
	scale := part * min(1, s.rate("get_misses")/max(s.rate("cmd_set"), 1e-9))
	if !o.segments {
		o.hits = lifetime{cold: o.hits.requested()}
		o.groups = []group{{math.Inf(1), c.listed.Ages.times(part)}}
		return o
	}
	for _, logarithm := range slices.Sorted(maps.Keys(c.listed.Unfetched)) {
		o.groups = append(o.groups, group{ttlOf(logarithm), c.listed.Unfetched[logarithm].times(scale)})
	}
	return o
}
