package advise

import "container/list"

// lru simulates the LRU of a slab class as memcached implements it: with the segments HOT, WARM and COLD, or with one segment if it is
// flat. All items of a slab class use the same memory, so its size is a number of items.
// https://github.com/memcached/memcached/blob/master/doc/new_lru.txt
type lru struct {
	rules
	capacity int
	segments [3]list.List
	keys     map[uint64]*list.Element
}

// rules are settings of the LRU.
type rules struct {
	segmented             bool
	hotPart, warmPart     float64
	hotFactor, warmFactor float64
}

const (
	cold = iota // the only segment of a flat LRU
	warm
	hot
)

// entry is an item. time is the last access that memcached notes, in seconds.
type entry struct {
	key             uint64
	segment         int
	fetched, active bool
	time            int64
}

func rulesOf(settings Values) rules {
	return rules{
		segmented: settings["lru_segmented"] == "yes",
		hotPart:   settings.number("hot_lru_pct") / 100, warmPart: settings.number("warm_lru_pct") / 100,
		hotFactor: settings.number("hot_max_factor"), warmFactor: settings.number("warm_max_factor"),
	}
}

func newLRU(r rules, capacity int) *lru {
	return &lru{rules: r, capacity: capacity, keys: map[uint64]*list.Element{}}
}

// get reports whether the cache has an item, and notes the access.
func (l *lru) get(key uint64, now int64) bool {
	element := l.keys[key]
	if element == nil {
		return false
	}
	e := element.Value.(*entry)
	switch {
	case !l.segmented:
		const updateInterval = 60 // seconds, ITEM_UPDATE_INTERVAL
		if e.time < now-updateInterval {
			l.move(element, cold)
			e.time = now
		}
	case e.active:
	case !e.fetched:
		e.fetched = true
	case e.segment == cold:
		l.move(element, warm)
		e.time = now
		l.maintain(now)
	default:
		e.active, e.time = true, now
	}
	return true
}

// set stores an item, and evicts others if there is no memory.
func (l *lru) set(key uint64, now int64) {
	l.remove(key)
	e := &entry{key: key, time: now}
	if l.segmented {
		e.segment = hot
	}
	l.keys[key] = l.segments[e.segment].PushFront(e)
	for len(l.keys) > l.capacity {
		l.evict()
	}
	if l.segmented {
		l.maintain(now)
	}
}

func (l *lru) evict() {
	for i := range l.segments {
		if last := l.segments[i].Back(); last != nil {
			l.remove(last.Value.(*entry).key)
			return
		}
	}
}

func (l *lru) remove(key uint64) {
	if element := l.keys[key]; element != nil {
		l.segments[element.Value.(*entry).segment].Remove(element)
		delete(l.keys, key)
	}
}

// move moves an item to the head of a segment.
func (l *lru) move(element *list.Element, segment int) {
	e := element.Value.(*entry)
	if e.segment == segment {
		l.segments[segment].MoveToFront(element)
		return
	}
	l.segments[e.segment].Remove(element)
	e.segment = segment
	l.keys[e.key] = l.segments[segment].PushFront(e)
}

// maintain does what the LRU maintainer of memcached does: HOT and WARM keep a part of the memory and of the ages. Of the items
// that leave them, those that are active go to WARM, and the others to COLD.
func (l *lru) maintain(now int64) {
	age := 0.0
	if last := l.segments[cold].Back(); last != nil {
		age = float64(now - last.Value.(*entry).time)
	}
	moved := true
	for moved {
		moved = l.pull(hot, l.hotPart, age*l.hotFactor, now) || l.pull(warm, l.warmPart, age*l.warmFactor, now)
	}
}

// pull moves the last item of a segment if it must leave, and reports whether it did.
func (l *lru) pull(segment int, part, age float64, now int64) bool {
	last := l.segments[segment].Back()
	if last == nil {
		return false
	}
	e := last.Value.(*entry)
	switch {
	case e.active:
		e.active = false
		l.move(last, warm)
	case float64(l.segments[segment].Len()) > part*float64(len(l.keys)), float64(now-e.time) > age:
		l.move(last, cold)
	default:
		return false
	}
	return true
}
