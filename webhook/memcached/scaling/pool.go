package scaling

import (
	"fmt"
	"strconv"
)

const (
	// MaxServers is the maximum of spec.size in the CRD.
	MaxServers = 1000
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

// Pool are the servers of proxies, in the order of the slots over which they distribute the keys: a range of ordinals. The spare, which is
// the next ordinal, can have the slot of one of them.
type Pool struct {
	Servers
	// Spared is the slot of the spare, from 1 on; 0 if there is no spare.
	Spared int32
}

// Absent returns the ordinal whose slot the spare has; -1 if there is no spare.
func (p Pool) Absent() int32 {
	if p.Spared == 0 {
		return -1
	}
	return p.First + p.Spared - 1
}

// Span returns the range of the ordinals with the spare, and with the one whose slot it has.
func (p Pool) Span() Servers {
	return Servers{p.First, p.Count + min(p.Spared, 1)}
}

// Has reports whether an ordinal has a slot.
func (p Pool) Has(ordinal int32) bool { return p.Span().Has(ordinal) && ordinal != p.Absent() }

// Ordinals returns the ordinals by slot.
func (p Pool) Ordinals() []int32 {
	ordinals := p.Servers.Ordinals()
	if p.Spared > 0 {
		ordinals[p.Spared-1] = p.End()
	}
	return ordinals
}

// String returns "0-2" for three servers, and "0-2.1" if the spare has the slot of 1.
func (p Pool) String() string {
	if p.Spared == 0 {
		return p.Servers.String()
	}
	return fmt.Sprintf("%s.%d", p.Servers, p.Absent())
}

// Describe returns the ordinals for users.
func (p Pool) Describe() string {
	if p.Spared == 0 {
		return p.Servers.String()
	}
	return fmt.Sprintf("%s, %d in place of %d", p.Servers, p.End(), p.Absent())
}

// pool returns the pool from the texts of a label; the zero value if it is not valid.
func pool(first, last, absent string) Pool {
	p := Pool{Servers: servers(first, last)}
	if ordinal, _ := strconv.ParseInt(absent, 10, 32); absent != "" && p.Servers.Has(int32(ordinal)) {
		p.Spared = int32(ordinal) - p.First + 1
	}
	return p
}
