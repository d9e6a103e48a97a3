package scaling

import (
	"fmt"
	"strconv"
)

const (
	// MaxServers is the maximum of spec.size in the CRD.
	MaxServers = 1000
	// MaxRun is the maximum number of servers that a decision runs: during a change of the pod template, those before and after it.
	MaxRun = 2 * MaxServers
	// MaxOrdinal limits ordinals to nine digits. Each change of the pod template needs spec.size new ones.
	MaxOrdinal = 999_999_999
)

// Servers are a range of ordinals.
type Servers struct{ First, Count int32 }

// End returns the ordinal after the last one.
func (s Servers) End() int32 { return s.First + s.Count }

// String returns "0-2" for three servers; "" for none.
func (s Servers) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%d", s.First, s.End()-1)
}

// Has reports whether an ordinal is in the range.
func (s Servers) Has(ordinal int32) bool { return ordinal >= s.First && ordinal < s.End() }

// Ordinals returns the ordinals in their order.
func (s Servers) Ordinals() []int32 {
	ordinals := make([]int32, s.Count)
	for i := range ordinals {
		ordinals[i] = s.First + int32(i)
	}
	return ordinals
}

// contains reports whether all of other servers are in the range.
func (s Servers) contains(other Servers) bool {
	return other.Count == 0 || other.First >= s.First && other.End() <= s.End()
}

// join returns the range with the servers of both; s alone if other ones neither overlap nor follow.
func (s Servers) join(other Servers) Servers {
	switch {
	case s.Count == 0:
		return other
	case other.Count == 0 || other.First > s.End() || s.First > other.End():
		return s
	}
	first := min(s.First, other.First)
	return Servers{first, max(s.End(), other.End()) - first}
}

// servers returns the range from the texts of its first and its last ordinal; the zero value if it is not valid.
func servers(first, last string) Servers {
	from, _ := strconv.ParseInt(first, 10, 32) // a number that is too large is invalid
	to, _ := strconv.ParseInt(last, 10, 32)
	if to < from || to > MaxOrdinal || to-from >= MaxServers {
		return Servers{}
	}
	return Servers{int32(from), int32(to-from) + 1}
}
