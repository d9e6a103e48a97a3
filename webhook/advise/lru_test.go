package advise

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	flat      = rules{}
	segmented = rules{segmented: true, hotPart: 0.2, warmPart: 0.4, hotFactor: 0.2, warmFactor: 2}
)

// TestLRU checks which items a cache of three has left after keys were stored, or got if they are capital letters.
func TestLRU(t *testing.T) {
	for _, test := range []struct {
		reason string
		rules  rules
		keys   string
		want   string
	}{
		{"the oldest item goes", flat, "abcd", "bcd"},
		{"a store is a use", flat, "abcad", "acd"},
		{"a get in the first minute is no use", flat, "abcAd", "bcd"},
		{"a later get is a use", flat, "abc-Ad", "acd"},
		{"one get does not save an item", segmented, "abcAde", "cde"},
		{"two gets do", segmented, "abcAAde", "ade"},
	} {
		l, now := newLRU(test.rules, 3), int64(0)
		for _, key := range test.keys {
			switch {
			case key == '-':
				now += 61
			case key < 'a':
				l.get(uint64(key-'A'+'a'), now)
			default:
				l.set(uint64(key), now)
			}
		}
		var left strings.Builder
		for key := 'a'; key <= 'z'; key++ {
			if l.keys[uint64(key)] != nil {
				left.WriteRune(key)
			}
		}
		if diff := cmp.Diff(test.want, left.String()); diff != "" {
			t.Errorf("%s: after %q (-want +got):\n%s", test.reason, test.keys, diff)
		}
	}
}

// traceOf returns the requests to a flat cache of 1,000 items, with what it has evicted.
func traceOf(keys uint64, next func(i int) uint64) *Trace {
	l, t := newLRU(flat, 1000), &Trace{Part: 1}
	const before, gets = 30_000, 60_000
	for i := range before + gets {
		if i == before {
			for key, element := range l.keys {
				e := element.Value.(*entry)
				t.Items = append(t.Items, Item{Key: key, Class: 1, Fetched: e.fetched, Age: uint32(before/10 - e.time)})
			}
		}
		key, now := next(i)%keys, int64(i/10)
		hit := l.get(key, now)
		event := Event{Key: key, Class: 1, Millis: uint32(max(0, i-before)) * 100}
		if event.Kind = Miss; hit {
			event.Kind = Hit
		}
		events := []Event{event}
		if !hit {
			last := l.segments[cold].Back() // the next one to evict
			l.set(key, now)
			if last != nil && l.keys[last.Value.(*entry).key] == nil {
				event.Key, event.Kind = last.Value.(*entry).key, Evicted
				events = append(events, event)
			}
			event.Key, event.Kind = key, Stored
			events = append(events, event)
		}
		if i >= before {
			t.Events = append(t.Events, events...)
			t.Gets++
		}
	}
	return t
}

// TestMore checks the hit ratio that more memory gives, for which the theory is exact: uniform gets of 2,000 keys hit half of the
// time with 1,000 items, and always with 2,000.
func TestMore(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	more := traceOf(2000, func(int) uint64 { return random.Uint64() }).more()
	if len(more) < steps/2 {
		t.Fatalf("only %d of %d steps are covered", len(more), steps)
	}
	for i, gained := range more {
		if want := min(0.5, 0.5*float64(i+1)/steps); gained < want-0.02 || gained > want+0.02 {
			t.Errorf("%s times the memory: %.3f more, want %.3f", fmt.Sprint(1+float64(i+1)/steps), gained, want)
		}
	}
}

// TestReplay checks the hit ratio of less memory: of a loop, a flat LRU hits either all or nothing.
func TestReplay(t *testing.T) {
	loop := traceOf(800, func(i int) uint64 { return uint64(i) })
	for factor, want := range map[float64]float64{0.5: 0, 0.9: 0, 1: 1} {
		if hits := loop.replay(flat, factor); hits/float64(loop.Gets) != want {
			t.Errorf("%v times the memory: %v of %d gets hit, want a hit ratio of %v", factor, hits, loop.Gets, want)
		}
	}
}
