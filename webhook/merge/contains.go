package merge

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// contains reports whether one JSON value has everything that another has. Both have sorted members, as Metacontroller sends
// them. For values that are not sorted, and for lists that an apply merges in another order, it may report false: a caller
// then compares them by [difference], which takes several times as long.
func contains(have, want jsontext.Value) bool {
	if len(want) == 0 || len(have) == 0 || bytes.Equal(have, want) {
		return len(want) == 0 || len(have) > 0
	}
	found, _, _ := containsNext(newTokens(have), newTokens(want))
	return found
}

func newTokens(value jsontext.Value) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true)) // they were checked once
}

// containsNext compares the next values. It also reports whether one has more than the other, and whether it is an item that
// an apply merges by a key.
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
	if !begin(have, want) {
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
	return begin(have, want), more || rest, keyed
}

// skipTo reads members until the one of that name, and reports whether it skipped others and whether it is there.
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

// containsList compares item by item. An item without a key is replaced as a whole, so neither may have more.
func containsList(have, want *jsontext.Decoder) (found, more bool) {
	if !begin(have, want) {
		return false, false
	}
	for want.PeekKind() != jsontext.KindEndArray {
		found, moreBelow, keyed := containsNext(have, want)
		if !found || moreBelow && !keyed {
			return false, false
		}
		more = more || moreBelow
	}
	return have.PeekKind() == jsontext.KindEndArray && begin(have, want), more
}

// begin reads the token at which both values, or their ends, begin.
func begin(have, want *jsontext.Decoder) bool {
	_, errA := have.ReadToken()
	_, errB := want.ReadToken()
	return errA == nil && errB == nil
}
