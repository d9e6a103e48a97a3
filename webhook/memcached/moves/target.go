package moves

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
)

// target returns the servers that follow others. The first of these that differ from them:
//
//  1. Other servers have the slots of those that are drained, evicted or lost: their time is limited, or their keys fail.
//  2. All servers have the next ordinals: the pod template has changed, so that pods with items keep theirs, or the size has, and spares
//     are in use whose slots cannot return. With a warm-up no key is lost, so that is one step.
//  3. Slots return from spares.
//  4. There are more or fewer servers.
func (s situation) target(from Pool) Pool {
	if away := s.reassign(from, from, s.mustMove); away != from { // 1
		return away
	}
	resized := Range{from.Slots.First, s.SizeAfterStep(from.Slots.Count)}
	returned, outdated := s.withReturned(from), len(s.outdated(s.mayHaveItems(from))) > 0
	isBlocked := returned.HasSpares() && (resized != from.Slots || outdated) // a StatefulSet with a pod that does not end replaces none
	mustReplace := outdated && s.Proxies.Warmup > 0 || isBlocked
	following := from.Span().End()
	switch {
	case s.Size > 0 && mustReplace && following <= MaxFirst: // 2
		return s.reassign(from, poolOf(Range{following, s.Size}), s.isStuck)
	case from.HasSpares(): // 3
		return returned
	}
	return s.reassign(from, poolOf(resized), func(ordinal int32) bool { return s.isStuck(ordinal) && !from.Has(ordinal) })
}

// reassign returns a pool that follows another one, in which other servers have the slots of those that leave: their own ones if these are
// ready, or spares. A slot stays if the label of the proxies has no room for its spare.
func (s situation) reassign(from, pool Pool, leaves func(ordinal int32) bool) Pool {
	var leaving []int32
	for ordinal := range s.Servers {
		if pool.Has(ordinal) && leaves(ordinal) {
			leaving = append(leaving, ordinal)
		}
	}
	slices.Sort(leaving)
	for _, ordinal := range leaving {
		own := pool.ownOrdinal(ordinal)
		next := pool.withOwn(own)
		if s.notReady(own) {
			next = pool.withSpare(Spare{own, s.spareOrdinal(from, pool, own)})
		}
		if next != pool && fits(from, next) {
			pool = next
		}
	}
	return pool
}

// fits reports whether labels can have a move, and the return of each of its spares.
func fits(from, to Pool) bool {
	moves := []Routes{{Move{from, to}, Announcing}}
	for _, spare := range to.Spares() {
		moves = append(moves, Routes{Move{to, to.withOwn(spare.For)}, Announcing})
	}
	return !slices.ContainsFunc(moves, func(r Routes) bool { return len(r.String()) > validation.LabelValueMaxLength })
}

// spareOrdinal returns the ordinal of a spare: the one that the move under way has for it, or one that no slot has had before. The pod of a
// server that does not respond has its ordinal for as long as it exists.
func (s situation) spareOrdinal(from, pool Pool, own int32) int32 {
	underWay := s.current.To
	for _, spare := range underWay.Spares() {
		forSlot := spare.For == own && underWay.Slots == pool.Slots
		if forSlot && !from.Has(spare.Ordinal) && !s.isStuck(spare.Ordinal) {
			return spare.Ordinal
		}
	}
	ordinal := pool.Slots.End()
	uncleaned := func() bool { return !s.CanRunJob && from.Span().Has(ordinal) } // a former spare has items of its time
	inUse := func() bool {
		return from.Has(ordinal) || pool.Has(ordinal) || underWay.Slots == pool.Slots && underWay.Has(ordinal)
	}
	for ordinal < pool.Slots.End()+maxSpareOffset && (uncleaned() || inUse() || s.isStuck(ordinal)) {
		ordinal++
	}
	return ordinal
}

// withReturned returns the pool in which servers that are not lost have their slots again.
func (s situation) withReturned(from Pool) Pool {
	pool := from
	for _, spare := range from.Spares() {
		if !s.isStuck(spare.For) {
			pool = pool.withOwn(spare.For)
		}
	}
	return pool
}
