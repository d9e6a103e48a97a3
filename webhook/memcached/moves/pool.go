package moves

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

const (
	// MaxSpares is the maximum number of servers that are replaced by spares at a time. The label of the pods has them, so with long
	// ordinals they can be fewer.
	MaxSpares = 4
	// maxSpareOffset is the number of ordinals after the slots that spares can have.
	maxSpareOffset = 100
)

// Pool are the servers of proxies by slot. Proxies distribute the keys over the slots. Each slot has an ordinal of its own, and its server,
// unless a spare has the slot: while the server of the slot is being deleted, or its node does not respond.
type Pool struct {
	// Slots are the ordinals that the slots have of their own.
	Slots Range
	// spares has the spares in the order of the slots, up to the first zero value. An array lets pools be compared.
	spares [MaxSpares]Spare
}

// Spare is a server that has the slot of another one: the ordinal of the other one, and that of the spare, which follows those
// of all slots. The zero value is none.
type Spare struct{ For, Ordinal int32 }

// poolOf returns the servers of a range, without spares.
func poolOf(slots Range) Pool { return Pool{Slots: slots} }

// Spares returns the spares, in the order of the slots.
func (p Pool) Spares() []Spare {
	for i, spare := range p.spares {
		if spare == (Spare{}) {
			return p.spares[:i]
		}
	}
	return p.spares[:]
}

// HasSpares reports whether a spare has a slot.
func (p Pool) HasSpares() bool { return p.spares[0] != Spare{} }

// Span returns the range of the ordinals with the spares, and with those whose slots they have.
func (p Pool) Span() Range {
	end := p.Slots.End()
	for _, spare := range p.Spares() {
		end = max(end, spare.Ordinal+1)
	}
	return Range{p.Slots.First, end - p.Slots.First}
}

// Has reports whether an ordinal has a slot.
func (p Pool) Has(ordinal int32) bool {
	for _, spare := range p.spares {
		if spare != (Spare{}) && (ordinal == spare.For || ordinal == spare.Ordinal) {
			return ordinal == spare.Ordinal
		}
	}
	return p.Slots.Has(ordinal)
}

// BySlot returns the ordinals by slot.
func (p Pool) BySlot() []int32 {
	ordinals := p.Slots.List()
	for _, spare := range p.Spares() {
		ordinals[spare.For-p.Slots.First] = spare.Ordinal
	}
	return ordinals
}

// hasAll reports whether the pool has all servers of another one. It makes no list of them, because a tenant can have 70,000 pods with routes. Of the
// ordinals outside the slots, it looks at few: only those of spares can be in the pool. Spares that are not set stand for ordinal 0, which
// it then compares once more.
func (p Pool) hasAll(other Pool) bool {
	lacks := func(ordinal int32) bool { return other.Has(ordinal) && !p.Has(ordinal) }
	lacksEither := func(spare Spare) bool { return lacks(spare.For) || lacks(spare.Ordinal) }
	if slices.ContainsFunc(p.spares[:], lacksEither) || slices.ContainsFunc(other.spares[:], lacksEither) {
		return false
	}
	for ordinal := other.Slots.First; ordinal < other.Slots.End(); ordinal++ {
		if p.Slots.Has(ordinal) {
			ordinal = p.Slots.End() - 1 // the others of the slots are in both pools
		} else if lacks(ordinal) {
			return false
		}
	}
	return true
}

// notIn returns the ordinals, by slot, that another pool does not have.
func (p Pool) notIn(other Pool) []int32 { return slices.DeleteFunc(p.BySlot(), other.Has) }

// ownOrdinal returns the ordinal that the slot of a server has of its own.
func (p Pool) ownOrdinal(ordinal int32) int32 {
	for _, spare := range p.Spares() {
		if spare.Ordinal == ordinal {
			return spare.For
		}
	}
	return ordinal
}

// withSpare returns the pool with another spare for a slot; the same pool if it has too many already, or if the ordinal is too far away.
func (p Pool) withSpare(spare Spare) Pool {
	spares := append(slices.Clone(p.withOwn(spare.For).Spares()), spare)
	if len(spares) > MaxSpares || spare.Ordinal >= p.Slots.End()+maxSpareOffset {
		return p
	}
	slices.SortFunc(spares, func(a, b Spare) int { return cmp.Compare(a.For, b.For) })
	p.spares = [MaxSpares]Spare{}
	copy(p.spares[:], spares)
	return p
}

// withOwn returns the pool in which a slot has its own server.
func (p Pool) withOwn(own int32) Pool {
	left := slices.DeleteFunc(slices.Clone(p.Spares()), func(spare Spare) bool { return spare.For == own })
	p.spares = [MaxSpares]Spare{}
	copy(p.spares[:], left)
	return p
}

// String returns "0-2" for three servers. "0-2.1" has the first ordinal after the slots, 3, in the place of 1, and "0-2.1.2-1" also 4 in
// the place of 2.
func (p Pool) String() string {
	text := []byte(p.Slots.String())
	for _, spare := range p.Spares() {
		text = fmt.Appendf(text, ".%d", spare.For)
		if offset := spare.Ordinal - p.Slots.End(); offset > 0 {
			text = fmt.Appendf(text, "-%d", offset)
		}
	}
	return string(text)
}

// Describe returns the ordinals for users.
func (p Pool) Describe() string {
	text := []byte(p.Slots.String())
	for _, spare := range p.Spares() {
		text = fmt.Appendf(text, ", %d in place of %d", spare.Ordinal, spare.For)
	}
	return string(text)
}

// poolText matches what [Pool.String] returns: the first and the last slot, and the spares.
const poolText = `(\d+)-(\d+)((?:\.\d+(?:-\d+)?)*)`

var spareText = regexp.MustCompile(`\.(\d+)(?:-(\d+))?`)

// parsePool returns the pool of the words that poolText matches. A text that is not valid has another pool or none.
func parsePool(first, last, spares string) Pool {
	p := poolOf(parseRange(first, last))
	for _, words := range spareText.FindAllStringSubmatch(spares, MaxSpares+1) {
		own, _ := strconv.ParseInt(words[1], 10, 32) // a number that is too large is not a slot
		offset, _ := strconv.ParseInt(cmp.Or(words[2], "0"), 10, 32)
		if offset >= maxSpareOffset {
			return Pool{}
		}
		spare := Spare{int32(own), p.Slots.End() + int32(offset)}
		if !p.Slots.Has(spare.For) || p.Has(spare.Ordinal) {
			return Pool{}
		}
		p = p.withSpare(spare)
	}
	return p
}
