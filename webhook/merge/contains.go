package merge

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// contains reports whether an apply of want to have changes nothing, because have has everything that want has. Both have sorted
// members, as Metacontroller sends them. FuzzContains compares it with [Apply]. The reverse does not hold for unsorted members,
// for lists in another order, and for lists whose items have different keys. Callers then use [Apply]. Without contains, a sync of
// three pods makes 2.8 times as many allocations.
func contains(have, want jsontext.Value) bool {
	if len(want) == 0 || len(have) == 0 {
		return len(want) == 0
	}
	a, b := newTokens(have), newTokens(want)
	defer tokens.Put(a)
	defer tokens.Put(b)
	m := containsNext(a, b)
	return m.found && !m.equalKeys
}

// tokens has decoders for reuse, because the stacks of a new one grow with the depth of the value.
var tokens = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

func newTokens(value jsontext.Value) *jsontext.Decoder {
	decoder := tokens.Get().(*jsontext.Decoder)
	decoder.Reset(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true))
	return decoder
}

// match is the result of a comparison of two values.
type match struct {
	found     bool // have contains want
	more      bool // have has more than want
	equalKeys bool // two items of a list have the same key, so an apply would use the last one for both
	// rank is the position in mergeKeys of the first key that an object has, from 1. It is 0 if it has none.
	rank int
	// hash is that of the value of this key, or of a scalar. It is 0 for other values.
	hash uint64
}

// containsNext compares the next values.
func containsNext(have, want *jsontext.Decoder) match {
	kind := want.PeekKind()
	if have.PeekKind() != kind {
		return match{}
	}
	switch kind {
	case jsontext.KindBeginObject:
		return containsObject(have, want)
	case jsontext.KindBeginArray:
		return containsList(have, want)
	}
	a, errA := have.ReadValue()
	b, errB := want.ReadValue()
	// An apply does not distinguish 1 and "1".
	return match{found: errA == nil && errB == nil && bytes.Equal(a, b), hash: maphash.Bytes(seed, bytes.Trim(b, `"`))}
}

var seed = maphash.MakeSeed()

func containsObject(have, want *jsontext.Decoder) (m match) {
	if !readDelimiters(have, want) {
		return match{}
	}
	for want.PeekKind() == jsontext.KindString {
		name, err := want.ReadValue()
		if err != nil {
			return match{}
		}
		rank := 1 + slices.Index(mergeKeys, string(name[1:len(name)-1]))
		skipped, reached := skipTo(have, name)
		if !reached {
			return match{}
		}
		below := containsNext(have, want)
		if !below.found || rank > 0 && !below.isScalar() {
			return match{}
		}
		m.addMember(rank, below)
		m.more = m.more || skipped
	}
	rest, _ := skipTo(have, nil)
	m.found, m.more = readDelimiters(have, want), m.more || rest
	return m
}

// isScalar reports whether the match is one of values that are neither objects nor lists.
func (m match) isScalar() bool { return m.rank == 0 && m.hash != 0 }

// addMember adds the match of a member to that of its object. rank is 0 if the member is no merge key.
func (m *match) addMember(rank int, below match) {
	if rank > 0 && (m.rank == 0 || rank < m.rank) {
		m.rank, m.hash = rank, below.hash
	}
	m.more = m.more || below.more
	m.equalKeys = m.equalKeys || below.equalKeys
}

// skipTo reads members up to the name of the given one. It reports whether it skipped others, and whether it found the name.
func skipTo(have *jsontext.Decoder, name jsontext.Value) (skipped, reached bool) {
	for have.PeekKind() == jsontext.KindString {
		next, err := have.ReadValue()
		if err != nil {
			return false, false
		}
		if bytes.Equal(next, name) {
			return skipped, true
		}
		if have.SkipValue() != nil {
			return false, false
		}
		skipped = true
	}
	return skipped, false
}

// containsList compares lists item by item. An apply replaces a list whose items have no key, so none of its items may have more.
func containsList(have, want *jsontext.Decoder) (m match) {
	if !readDelimiters(have, want) {
		return match{}
	}
	rank, seen := -1, make([]uint64, 0, 16)
	for want.PeekKind() != jsontext.KindEndArray {
		item := containsNext(have, want)
		if !item.found || rank >= 0 && item.rank != rank {
			return match{}
		}
		rank = item.rank
		m.more = m.more || item.more
		m.equalKeys = m.equalKeys || item.equalKeys || slices.Contains(seen, item.hash)
		seen = append(seen, item.hash)
	}
	if have.PeekKind() != jsontext.KindEndArray || rank == 0 && m.more {
		return match{}
	}
	m.found, m.equalKeys = readDelimiters(have, want), m.equalKeys && rank > 0 // an apply replaces other lists, and what they contain
	return m
}

// readDelimiters reads the start or the end of an object or a list from both values.
func readDelimiters(have, want *jsontext.Decoder) bool {
	_, errA := have.ReadToken()
	_, errB := want.ReadToken()
	return errA == nil && errB == nil
}
