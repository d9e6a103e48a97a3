package moves

import (
	"fmt"
	"strconv"
)

const (
	// MaxServers is the maximum of spec.size in the CRD.
	MaxServers = 1000
	// MaxPods is the maximum number of servers that a decision runs: during a change of the pod template, those before and after it, with
	// spares.
	MaxPods = 2 * (MaxServers + maxSpareOffset)
	// MaxFirst is the maximum of the first ordinal of slots, so that every ordinal has at most nine digits. Each change of the pod template
	// needs spec.size new ones: only an edit by somebody else comes near it.
	MaxFirst = 999_998_000
	// MaxOrdinal is the maximum ordinal of a server or spare.
	MaxOrdinal = MaxFirst + MaxServers + maxSpareOffset - 1
)

// Range is a range of ordinals.
type Range struct{ First, Count int32 }

// End returns the ordinal after the last one.
func (r Range) End() int32 { return r.First + r.Count }

// String returns "0-2" for three servers; "" for none.
func (r Range) String() string {
	if r.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%d", r.First, r.End()-1)
}

// Has reports whether an ordinal is in the range.
func (r Range) Has(ordinal int32) bool { return ordinal >= r.First && ordinal < r.End() }

// List returns the ordinals in their order.
func (r Range) List() []int32 {
	ordinals := make([]int32, r.Count)
	for i := range ordinals {
		ordinals[i] = r.First + int32(i)
	}
	return ordinals
}

// contains reports whether all of other servers are in the range.
func (r Range) contains(other Range) bool {
	return other.Count == 0 || other.First >= r.First && other.End() <= r.End()
}

// join returns the range with the servers of both. It returns r alone if the other ones neither overlap nor follow, or if both are more servers
// than those of two moves: they are of routes that somebody has edited, or of pods that are no proxies.
func (r Range) join(other Range) Range {
	switch {
	case r.Count == 0:
		return other
	case other.Count == 0 || other.First > r.End() || r.First > other.End():
		return r
	}
	first, end := min(r.First, other.First), max(r.End(), other.End())
	if end-first > 2*MaxPods {
		return r
	}
	return Range{first, end - first}
}

// parseRange returns the range from the texts of its first and its last ordinal; the zero value if it is not valid.
func parseRange(first, last string) Range {
	from, _ := strconv.ParseInt(first, 10, 32) // a number that is too large is invalid
	to, _ := strconv.ParseInt(last, 10, 32)
	if to < from || from > MaxFirst || to-from >= MaxServers {
		return Range{}
	}
	return Range{int32(from), int32(to-from) + 1}
}
