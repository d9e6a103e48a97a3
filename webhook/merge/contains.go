package merge

import (
	"bytes"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// contains reports whether one JSON value has everything that another value has. Both have sorted members, as Metacontroller
// sends them. If have contains want, and want contains what was applied last, then [difference] finds nothing: FuzzContains
// checks it. The reverse does not hold for unsorted members and for lists in another order. Callers then use [difference]. A sync
// of three pods takes 1.6 times as long without contains.
func contains(have, want jsontext.Value) bool {
	if len(want) == 0 || len(have) == 0 || bytes.Equal(have, want) {
		return len(want) == 0 || len(have) > 0
	}
	a, b := newTokens(have), newTokens(want)
	defer tokens.Put(a)
	defer tokens.Put(b)
	found, _, _ := containsNext(a, b)
	return found
}

// tokens has decoders for reuse, because the stacks of a new one grow with the depth of the value.
var tokens = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

func newTokens(value jsontext.Value) *jsontext.Decoder {
	decoder := tokens.Get().(*jsontext.Decoder)
	decoder.Reset(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true)) // the values were validated before
	return decoder
}

// keySet is a set of [mergeKeys], one bit for each.
type keySet uint

// containsNext reports whether the next value of have contains the next value of want, and whether it has more. keys are those
// by which an apply could merge want's value as an item of a list.
func containsNext(have, want *jsontext.Decoder) (found, more bool, keys keySet) {
	kind := want.PeekKind()
	if have.PeekKind() != kind {
		return false, false, 0
	}
	switch kind {
	case jsontext.KindBeginObject:
		return containsObject(have, want)
	case jsontext.KindBeginArray:
		found, more = containsList(have, want)
		return found, more, 0
	}
	a, errA := have.ReadValue()
	b, errB := want.ReadValue()
	return errA == nil && errB == nil && bytes.Equal(a, b), false, 0
}

func containsObject(have, want *jsontext.Decoder) (found, more bool, keys keySet) {
	if !readDelimiters(have, want) {
		return false, false, 0
	}
	for want.PeekKind() == jsontext.KindString {
		name, err := want.ReadValue()
		if err != nil {
			return false, false, 0
		}
		skipped, reached := skipTo(have, name)
		if !reached {
			return false, false, 0
		}
		found, moreBelow, _ := containsNext(have, want)
		if !found {
			return false, false, 0
		}
		if i := slices.Index(mergeKeys, string(name[1:len(name)-1])); i >= 0 {
			if moreBelow {
				return false, false, 0 // another value of a key is another item
			}
			keys |= 1 << i
		}
		more = more || skipped || moreBelow
	}
	rest, _ := skipTo(have, nil)
	return readDelimiters(have, want), more || rest, keys
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

// containsList compares lists item by item. An apply replaces a list whose items do not all have the same key, so none of its items
// may have more.
func containsList(have, want *jsontext.Decoder) (found, more bool) {
	if !readDelimiters(have, want) {
		return false, false
	}
	shared := ^keySet(0)
	for want.PeekKind() != jsontext.KindEndArray {
		found, moreBelow, keys := containsNext(have, want)
		if !found {
			return false, false
		}
		more, shared = more || moreBelow, shared&keys
	}
	if have.PeekKind() != jsontext.KindEndArray || more && shared == 0 {
		return false, false
	}
	return readDelimiters(have, want), more
}

// readDelimiters reads the start or the end of an object or a list from both values.
func readDelimiters(have, want *jsontext.Decoder) bool {
	_, errA := have.ReadToken()
	_, errB := want.ReadToken()
	return errA == nil && errB == nil
}
