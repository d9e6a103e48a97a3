package paired

import (
	"strconv"
	"testing"
)

func TestVersionOf(t *testing.T) {
	text, number := -1, -1
	for item := 0; text < 0 || number < 0; item++ {
		if Mixed.isCounter(item) {
			number = item
		} else {
			text = item
		}
	}
	for _, test := range []struct {
		reason  string
		item    int
		value   string
		version uint64
		ok      bool
	}{
		{"a value", text, Mixed.value(text, 7), 7, true},
		{"an appended value", text, Mixed.value(text, 7) + suffix(8), 8, true},
		{"a value of another item", text, Mixed.value(text+1, 7), 0, false},
		{"a part of a value", text, Mixed.value(text, 7)[:90], 0, false},
		{"an older suffix", text, Mixed.value(text, 7) + suffix(6), 0, false},
		{"another suffix", text, Mixed.value(text, 7) + ";x", 0, false},
		{"a counter", number, Mixed.value(number, 7), 7, true},
		{"an incremented counter, which memcached pads", number, "  " + Mixed.value(number, 8) + " ", 8, true},
		{"a counter of another item", number, strconv.FormatUint(counter(number+1, 7), 10), 0, false},
		{"nothing", number, "", 0, false},
	} {
		if version, ok := Mixed.versionOf(test.item, test.value); ok != test.ok || ok && version != test.version {
			t.Errorf("%s: got version %d, %t, want %d, %t", test.reason, version, ok, test.version, test.ok)
		}
	}
}

func TestState(t *testing.T) {
	written := 7 * oneVersion
	for _, test := range []struct {
		reason  string
		state   state
		version uint64
		want    bool
	}{
		{"the last version", written, 7, false},
		{"a version that is being written", written | isWritten, 8, false},
		{"an older version", written, 6, true},
		{"a deleted version", written | isDeleted, 6, true},
		{"an older version after a write without a response", written | isUncertain, 6, false},
	} {
		if got := test.state.isOld(test.version); got != test.want {
			t.Errorf("%s: got %t, want %t", test.reason, got, test.want)
		}
	}
	if got := (written | isDeleted | isUncertain).next(); got != 8*oneVersion {
		t.Errorf("got %d as the next state, want version 8 without flags", got)
	}
}

func TestSeconds(t *testing.T) {
	seconds := []Second{{10, [Caches]int{0, 10}}, {1000, [Caches]int{980, 990}}, {1000, [Caches]int{970, 990}}, {1000, [Caches]int{1000, 990}}}
	if got := Worst(seconds, 1000); got != 2 || seconds[2].Behind() != 2 {
		t.Errorf("got second %d, want second 2, which is 2 points behind", got)
	}
	if got := Worst(seconds, 2000); got != -1 {
		t.Errorf("got second %d, want none with as many reads", got)
	}
	if got := Total(seconds[1:]); got != (Second{3000, [Caches]int{2950, 2970}}) {
		t.Errorf("got %+v", got)
	}
	if got := (Kept{Control: 200, Both: 150}).Share(); got != 0.75 {
		t.Errorf("got %g", got)
	}
}
