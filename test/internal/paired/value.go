package paired

import (
	"fmt"
	"strconv"
	"strings"
)

// CounterSize is the size of the value of a counter, which incr changes. memcached keeps it until the number has more digits.
const CounterSize = 20

// Sizes are the sizes of values. Each is half as frequent as the one before it. An item keeps its size.
type Sizes []int

// Mixed has many small values, some large ones, and counters.
var Mixed = Sizes{100, 500, 2000, 4096, CounterSize}

// overhead is what memcached stores in addition to a value: the key, the header, and the rest of a chunk.
const overhead = 90

// ItemsFor returns how many items need as many bytes of memory.
func (s Sizes) ItemsFor(bytes int) (items int) {
	for ; bytes > 0; items++ {
		bytes -= s.of(items) + overhead
	}
	return items
}

// of returns the size of the value of an item.
func (s Sizes) of(item int) int {
	scattered := uint32(item) * 2654435761 >> 16
	for i, size := range s {
		if scattered&(1<<i) != 0 {
			return size
		}
	}
	return s[0]
}

func (s Sizes) isCounter(item int) bool { return s.of(item) == CounterSize }

// KeyOf returns the key of an item.
func KeyOf(item int) string { return fmt.Sprintf("item-%08d", item) }

// itemOf returns the item of a key, and false for a key of other programs.
func itemOf(key string) (int, bool) {
	item, err := strconv.Atoi(strings.TrimPrefix(key, "item-"))
	return item, err == nil && item >= 0 && KeyOf(item) == key
}

// value returns the value of an item, which names the item and its version.
func (s Sizes) value(item int, version uint64) string {
	if s.isCounter(item) {
		return fmt.Sprintf("%0*d", CounterSize, counter(item, version))
	}
	text := fmt.Sprintf("%s %d ", KeyOf(item), version)
	return text + strings.Repeat("x", s.of(item)-len(text))
}

// counter returns the number of a counter. An increment by one is the next version.
func counter(item int, version uint64) uint64 { return uint64(item)<<32 | version }

// suffix returns what append adds to a value.
func suffix(version uint64) string { return fmt.Sprintf(";%d", version) }

// versionOf returns the version of a value, and false if no client has stored the value for the item.
func (s Sizes) versionOf(item int, text string) (version uint64, ok bool) {
	if s.isCounter(item) {
		number, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		return number & (1<<32 - 1), err == nil && int(number>>32) == item
	}
	parts := strings.Split(text, ";")
	words := strings.SplitN(parts[0], " ", 3)
	if len(words) != 3 || words[0] != KeyOf(item) || len(parts[0]) != s.of(item) {
		return 0, false
	}
	version, err := strconv.ParseUint(words[1], 10, 64)
	for _, part := range parts[1:] {
		next, err := strconv.ParseUint(part, 10, 64)
		if err != nil || next < version {
			return 0, false
		}
		version = next
	}
	return version, err == nil
}
