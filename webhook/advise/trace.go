package advise

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// Trace has what clients requested of a sample of the keys in the interval. A key is in the sample with all its events, or not at all.
type Trace struct {
	// Begin is the Unix time of the first listing in seconds.
	Begin int64
	// Part is the part of all keys that are in the sample.
	Part float64
	// Items are those of the server at the start.
	Items  []Item
	Events []Event
	// Gets counts the gets of all keys in the log.
	Gets int64
}

// Item is an item of the server at the start of an interval.
type Item struct {
	// Key is a hash.
	Key     uint64
	Class   uint8
	Fetched bool
	// Age is the number of seconds since the last access that memcached noted.
	Age uint32
}

// Event is a request for a key, or its eviction.
type Event struct {
	Key uint64
	// Millis is the time since the begin.
	Millis uint32
	Kind   EventKind
	Class  uint8
}

// EventKind is what happened to a key.
type EventKind uint8

// The kinds of events.
const (
	NoEvent EventKind = iota
	Hit
	Miss
	Stored
	Evicted
)

// maxEvents limits the memory of a trace. A trace that exceeds it keeps half of its keys.
const maxEvents = 4_000_000

// tracer makes a trace from the log of a server. Its functions for items and for entries may run at the same time.
type tracer struct {
	Trace
	seed maphash.Seed
	// itemLimit and eventLimit are the hashes below which a key is in the sample.
	itemLimit, eventLimit uint64
	maxItems              float64
	// last is the index of the last event of each connection.
	last map[int]int
}

// newTracer returns a tracer for about a number of items. If the server has twice as many as it reports, it keeps half of them.
func newTracer(begin int64, items, maxItems float64) *tracer {
	limit := uint64(math.MaxUint64)
	if items > maxItems {
		limit = uint64(maxItems / items * math.MaxUint64)
	}
	t := &tracer{seed: maphash.MakeSeed(), itemLimit: limit, eventLimit: limit, maxItems: maxItems, last: map[int]int{}}
	t.Begin = begin
	return t
}

func (t *tracer) item(item client.Item) {
	if key := maphash.Bytes(t.seed, item.Key); key <= t.itemLimit {
		t.Items = append(t.Items, Item{Key: key, Class: uint8(item.Class), Fetched: item.Fetched, Age: uint32(max(0, t.Begin-item.Accessed))})
	}
	if float64(len(t.Items)) > 2*t.maxItems {
		t.itemLimit /= 2
		t.Items = slices.DeleteFunc(t.Items, func(i Item) bool { return i.Key > t.itemLimit })
	}
}

func (t *tracer) entry(entry *client.Entry) {
	switch entry.Type {
	case client.Get:
		t.Gets++
	case client.Store:
		t.Gets-- // each store has logged a get before
	}
	key := maphash.Bytes(t.seed, entry.Key)
	if entry.Type == "" || key > t.eventLimit {
		return
	}
	event := Event{Key: key, Millis: uint32(max(0, entry.Time.UnixMilli()-1000*t.Begin)), Class: uint8(entry.Class)}
	switch entry.Type {
	case client.Get:
		if event.Kind = Miss; entry.Found {
			event.Kind = Hit
		}
		t.last[entry.Connection] = len(t.Events)
	case client.Store:
		if i, ok := t.last[entry.Connection]; ok && t.Events[i].Key == key {
			t.Events[i].Kind = NoEvent
		}
		event.Kind = Stored
	case client.Evict:
		event.Kind = Evicted
	}
	if t.Events = append(t.Events, event); len(t.Events) > maxEvents {
		t.eventLimit /= 2
		t.last = map[int]int{}
		t.Events = slices.DeleteFunc(t.Events, func(e Event) bool { return e.Key > t.eventLimit })
	}
}

// trace returns the trace, in which the same keys are left of items and of events.
func (t *tracer) trace() *Trace {
	limit := min(t.itemLimit, t.eventLimit)
	t.Part = float64(limit) / math.MaxUint64
	t.Items = slices.DeleteFunc(t.Items, func(i Item) bool { return i.Key > limit })
	t.Events = slices.DeleteFunc(t.Events, func(e Event) bool { return e.Kind == NoEvent || e.Key > limit })
	return &t.Trace
}
