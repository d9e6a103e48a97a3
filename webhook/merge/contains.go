package merge

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// contains reports whether one JSON value has everything that another value has. Both have sorted members, as Metacontroller
// sends them. The result may be a false negative for unsorted members, and for lists that an apply merges in another order.
// Callers then use [difference], which takes several times as long.
func contains(have, want jsontext.Value) bool {
	if len(want) == 0 || len(have) == 0 || bytes.Equal(have, want) {
		return len(want) == 0 || len(have) > 0
	}
	found, _, _ := containsNext(newTokens(have), newTokens(want))
	return found
}

func newTokens(value jsontext.Value) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true)) // the values were validated before
}

// containsNext reports whether the next value of have contains the next value of want, whether it has more, and whether
// want's value is an item that an apply merges by a key.
func containsNext(have, want *jsontext.Decoder) (found, more, keyed bool) {
	kind := want.PeekKind()
	if have.PeekKind() != kind {
		return false, false, false
	}
	switch kind {
	case jsontext.KindBeginObject:
		return containsObject(have, want)
	case jsontext.KindBeginArray:
		found, more = containsList(have, want)
		return found, more, false
	}
	a, errA := have.ReadValue()
	b, errB := want.ReadValue()
	return errA == nil && errB == nil && bytes.Equal(a, b), false, false
}

func containsObject(have, want *jsontext.Decoder) (found, more, keyed bool) {
	if !readDelimiters(have, want) {
		return false, false, false
	}
	for want.PeekKind() == jsontext.KindString {
		name, err := want.ReadValue()
		if err != nil {
			return false, false, false
		}
		skipped, reached := skipTo(have, name)
		if !reached {
			return false, false, false
		}
		keyed = keyed || slices.Contains(mergeKeys, string(name[1:len(name)-1]))
		found, moreBelow, _ := containsNext(have, want)
		if !found {
			return false, false, false
		}
		more = more || skipped || moreBelow
	}
	rest, _ := skipTo(have, nil)
	return readDelimiters(have, want), more || rest, keyed
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

// containsList compares lists item by item. An apply replaces an item without a key, so such an item must not have more.
func containsList(have, want *jsontext.Decoder) (found, more bool) {
	if !readDelimiters(have, want) {
		return false, false
	}
	for want.PeekKind() != jsontext.KindEndArray {
		found, moreBelow, keyed := containsNext(have, want)
		if !found || moreBelow && !keyed {
			return false, false
		}
		more = more || moreBelow
	}
	return have.PeekKind() == jsontext.KindEndArray && readDelimiters(have, want), more
}

// readDelimiters reads the start or the end of an object or a list from both values.
func readDelimiters(have, want *jsontext.Decoder) bool {
	_, errA := have.ReadToken()
	_, errB := want.ReadToken()
	return errA == nil && errB == nil
}
