package paired

import (
	"bufio"
	"strconv"
	"strings"
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

func TestItemOf(t *testing.T) {
	if item, ok := itemOf(KeyOf(123)); item != 123 || !ok {
		t.Errorf("got item %d, %t, want 123", item, ok)
	}
	for _, key := range []string{"item-1", "item--0000001", "other-00000001", ""} {
		if item, ok := itemOf(key); ok {
			t.Errorf("%q: got item %d, want none", key, item)
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

func TestVerbFor(t *testing.T) {
	for _, test := range []struct {
		reason     string
		state      state
		counter    bool
		verb, want string
	}{
		{"append for an odd version", 2 * oneVersion, false, "append", "append"},
		{"values do not grow", 1 * oneVersion, false, "append", "replace"},
		{"a text is no counter", 1 * oneVersion, false, "incr", "replace"},
		{"a counter", 1 * oneVersion, true, "cas", "incr"},
		{"a counter starts again", 1 * oneVersion, true, "set", "set"},
		{"a deleted item", 1*oneVersion | isDeleted, false, "cas", "add"},
		{"an uncertain item", 1*oneVersion | isDeleted | isUncertain, true, "incr", "set"},
		{"a deletion", 1*oneVersion | isUncertain, false, "delete", "delete"},
	} {
		if got := test.state.verbFor(test.counter, test.verb); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
	}
}

func TestRead(t *testing.T) {
	from := bufio.NewReader(strings.NewReader("VALUE a 0 3 17\r\nx\r\n\r\nEND\r\nVA 2 ka c18\r\nhi\r\nEN kb\r\n"))
	for _, want := range []response{{"VALUE a 0 3 17", "a", "x\r\n"}, {"END", "", ""}, {"VA 2 ka c18", "a", "hi"}, {"EN kb", "", ""}} {
		if got, err := read(from); got != want || err != nil {
			t.Errorf("got %+v and the error %v, want %+v", got, err, want)
		}
	}
	for line, want := range map[string]string{"VALUE a 0 3 17": "17", "VA 2 ka c18": "18", "END": ""} {
		if got := (response{line: line}).unique(); got != want {
			t.Errorf("%q: got the CAS unique %q, want %q", line, got, want)
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	for line, want := range map[string]outcome{
		"STORED": done, "HD": done, "8589934593": done, "VA 1 ": done, "NOT_FOUND": absent, "NS": absent, "EXISTS": changed, "EX ": changed,
		"SERVER_ERROR backend failure": failed, "CLIENT_ERROR 1": failed, "": failed, "END": failed,
	} {
		if got := outcomeOf(response{line: line}); got != want {
			t.Errorf("%q: got %d, want %d", line, got, want)
		}
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

func TestItemsFor(t *testing.T) {
	items, bytes := Mixed.ItemsFor(100_000_000), 0
	for item := range items {
		bytes += Mixed.of(item) + overhead
	}
	if bytes < 100_000_000 || bytes > 100_000_000+5000 {
		t.Errorf("%d items need %d bytes", items, bytes)
	}
	t.Logf("%d bytes on average", bytes/items-overhead)
}
