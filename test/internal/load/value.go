package load

import (
	"fmt"
	"strconv"
	"strings"
)

// counterSize is the size of the value of a counter, which incr changes. memcached keeps it until the number has more digits.
const counterSize = 20

// sizes are the sizes of values. Each is half as frequent as the one before it.
var sizes = []int{100, 500, 2000, 4096, counterSize}

// size returns the size of the value of an item, which never changes.
func size(item int) int {
	scattered := uint32(item) * 2654435761 >> 16
	for i, size := range sizes {
		if scattered&(1<<i) != 0 {
			return size
		}
	}
	return sizes[0]
}

func isCounter(item int) bool { return size(item) == counterSize }

func keyOf(item int) string { return fmt.Sprintf("item-%08d", item) }

// itemOf returns the item of a key, and false for a key of other programs.
func itemOf(key string) (int, bool) {
	item, err := strconv.Atoi(strings.TrimPrefix(key, "item-"))
	return item, err == nil && item >= 0 && keyOf(item) == key
}

var padding = strings.Repeat("x", sizes[3])

// value returns the value of an item, which names the item and its version.
func value(item int, version uint64) string {
	if isCounter(item) {
		return fmt.Sprintf("%0*d", counterSize, counter(item, version))
	}
	text := fmt.Sprintf("%s %d ", keyOf(item), version)
	return text + padding[:size(item)-len(text)]
}

// counter returns the number of a counter. An increment by one is the next version.
func counter(item int, version uint64) uint64 { return uint64(item)<<32 | version }

// suffix returns what append adds to a value.
func suffix(version uint64) string { return fmt.Sprintf(";%d", version) }

// versionOf returns the version of a value, and false if no client has stored the value for the item.
func versionOf(item int, text string) (version uint64, ok bool) {
	if isCounter(item) {
		number, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		return number & (1<<32 - 1), err == nil && int(number>>32) == item
	}
	parts := strings.Split(text, ";")
	words := strings.SplitN(parts[0], " ", 3)
	if len(words) != 3 || words[0] != keyOf(item) || len(parts[0]) != size(item) {
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
