package scaling

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
)

// target returns the servers that follow others. Servers that stop or do not respond come first: their time is limited, or their keys fail. Servers
// that have items keep their pods, so a change of the pod template uses the next range, and so does a change of size while spares are in use whose
// servers do not respond. That is one step, because no key is lost.
func (c current) target(from Pool) Pool {
	if away := c.away(from, from, c.leaves); away != from {
		return away
	}
	warm, back, slots := c.Proxies.Warmup > 0 && c.Size > 0, c.back(from), Range{from.Slots.First, c.Step(from.Slots.Count)}
	switch {
	case warm && (c.endOfOutdated(from) > from.Slots.First || back.HasSpares() && slots != from.Slots):
		return c.away(from, poolOf(Range{from.Span().End(), c.Size}), c.lost)
	case from.HasSpares():
		return back
	}
	return c.away(from, poolOf(slots), func(ordinal int32) bool { return c.lost(ordinal) && !from.Has(ordinal) })
}

// lost reports whether the node of a server does not respond. The server may still run.
func (f Facts) lost(ordinal int32) bool { return f.Servers[ordinal].Lost }

// leaves reports whether the items of a server have to move: it is being deleted and serves for a while, or its node does not respond.
func (f Facts) leaves(ordinal int32) bool {
	return f.Size > 0 && (f.lost(ordinal) || f.Proxies.Warmup > 0 && f.Draining(ordinal))
}

// away returns a pool that follows another one, in which other servers have the slots of those that leave: their own ones if these are ready, or
// spares. A slot stays if the label of the proxies has no room for its spare.
func (c current) away(from, pool Pool, leaves func(ordinal int32) bool) Pool {
	var leaving []int32
	for ordinal := range c.Servers {
		if pool.Has(ordinal) && leaves(ordinal) {
			leaving = append(leaving, ordinal)
		}
	}
	slices.Sort(leaving)
	for _, ordinal := range leaving {
		absent := pool.slotOf(ordinal)
		next := pool.back(absent)
		if !c.Servers[absent].Ready {
			next = pool.with(Spare{absent, c.place(from, pool, absent)})
		}
		if fits(from, next) && fits(next, next.back(absent)) {
			pool = next
		}
	}
	return pool
}

// fits reports whether a label can have a move.
func fits(from, to Pool) bool {
	return len((Routes{from, to, Announcing}).String()) <= validation.LabelValueMaxLength
}

// place returns the ordinal of a spare: the one that the move under way has for it, or one that no slot has had before. The pod of a server that does not respond has its
// ordinal for as long as it exists.
func (c current) place(from, pool Pool, absent int32) int32 {
	underWay := c.routes.To
	for _, spare := range underWay.Spares() {
		if spare.Absent == absent && underWay.Slots == pool.Slots && !from.Has(spare.Ordinal) && !c.lost(spare.Ordinal) {
			return spare.Ordinal
		}
	}
	ordinal := pool.Slots.End()
	for from.Has(ordinal) || pool.Has(ordinal) || c.lost(ordinal) || underWay.Slots == pool.Slots && underWay.Has(ordinal) {
		ordinal++
	}
	return ordinal
}

// back returns the pool in which servers whose nodes respond have their slots again.
func (c current) back(from Pool) Pool {
	pool := from
	for _, spare := range from.Spares() {
		if !c.lost(spare.Absent) {
			pool = pool.back(spare.Absent)
		}
	}
	return pool
}
