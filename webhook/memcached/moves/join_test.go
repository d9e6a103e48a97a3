package moves

import "testing"

// TestJoin checks which servers are needed together. Anybody who may create pods can label them as proxies, with any servers.
func TestJoin(t *testing.T) {
	for _, test := range []struct {
		reason            string
		have, other, want Range
	}{
		{"no servers yet", Range{}, Range{3, 2}, Range{3, 2}},
		{"the next servers", Range{0, 3}, Range{3, 3}, Range{0, 6}},
		{"servers elsewhere", Range{0, 3}, Range{9, 3}, Range{0, 3}},
		{"as many as two moves have", Range{0, MaxPods}, Range{MaxPods, MaxPods}, Range{0, 2 * MaxPods}},
		{"more than two moves have", Range{0, 2 * MaxPods}, Range{2 * MaxPods, 1}, Range{0, 2 * MaxPods}},
	} {
		if got := test.have.join(test.other); got != test.want {
			t.Errorf("%s: %v, want %v", test.reason, got, test.want)
		}
	}
}

// TestSpareOrdinalEnds checks that the search for a spare ends where no spare may be, however many pods do not end.
func TestSpareOrdinalEnds(t *testing.T) {
	f := factsOf(3, 3, "0-2")
	for ordinal := range int32(500) {
		f.Servers[ordinal] = Server{Pod: Pod{Name: "cache", NodeLost: true}, State: ServerStuck}
	}
	pool := f.situation().current.To
	if got := f.situation().spareOrdinal(pool, pool, 1); got > pool.Slots.End()+maxSpareOffset {
		t.Errorf("the search ended at %d", got)
	}
}
