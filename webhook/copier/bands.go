package copier

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// maxBands is the maximum number of bands. If half of the items fit into the new servers, they keep an item that a server with an
// exact LRU would keep with a probability of 1 - 1/(2*maxBands).
const maxBands = 8

// maxAge is the maximum age in seconds that is counted, 17 years.
const maxAge = 1<<29 - 1

// age returns the age of an item in seconds at a time: how long before that it was used last. An item that was used later is new.
func age(at time.Time, item client.Item) uint64 {
	return uint64(min(max(at.Unix()-item.Accessed, 0), maxAge))
}

// histogram counts items by age, in buckets of at most 1/16 of the age.
type histogram [26 * 16]int

func (h *histogram) add(age uint64) { h[bucket(age)]++ }

func bucket(age uint64) int {
	exponent := max(bits.Len64(age), 5) - 5
	return exponent*16 + int(age>>exponent)
}

// bands returns bands of about the same number of items, from the oldest to the newest.
func (h *histogram) bands() []band {
	total := 0
	for _, items := range h {
		total += items
	}
	all := []band{{last: len(h)}}
	items, newer := 0, total
	for i := len(h) - 1; i > 0; i-- {
		items, newer = items+h[i], newer-h[i]
		if items*maxBands >= total && newer > 0 {
			all[len(all)-1].first = i
			all = append(all, band{last: i})
			items = 0
		}
	}
	return all
}

// band are the ages of some buckets, without the last one.
type band struct{ first, last int }

func (b band) has(age uint64) bool { return b.first <= bucket(age) && bucket(age) < b.last }

func (b band) String() string {
	if b.last > bucket(maxAge) {
		return fmt.Sprintf("items that were used last %s ago or earlier", youngest(b.first))
	}
	return fmt.Sprintf("items that were used last %s to %s ago", youngest(b.first), youngest(b.last))
}

// youngest returns the youngest age of a bucket.
func youngest(bucket int) time.Duration {
	exponent := max(bucket/16-1, 0)
	return time.Duration(bucket-exponent*16) << exponent * time.Second
}
