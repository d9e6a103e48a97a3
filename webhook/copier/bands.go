package copier

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// maxBands is the maximum number of bands, and so of listings. In a band, the order is that of the LRUs of the slab classes, of which
// each has several.
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

func (h *histogram) items() (total int) {
	for _, items := range h {
		total += items
	}
	return total
}

func bucket(age uint64) int {
	exponent := max(bits.Len64(age), 5) - 5
	return exponent*16 + int(age>>exponent)
}

// drop removes the oldest items.
func (h *histogram) drop(items int) cut {
	last := len(h) - 1
	for ; last > 0 && items > 0 && h[last] <= items; last-- {
		items -= h[last]
		h[last] = 0
	}
	skip := min(items, h[last])
	h[last] -= skip
	return cut{last, skip}
}

// cut is where the items of a slab class begin that are copied: last is the bucket of the oldest ones, of which some are left out.
type cut struct{ last, skip int }

func (c *cut) take(bucket int) bool {
	if bucket == c.last && c.skip > 0 {
		c.skip--
		return false
	}
	return bucket <= c.last
}

// maxClasses is the number of slab classes: MAX_NUMBER_OF_SLAB_CLASSES in memcached.h.
const maxClasses = 64

// ages has the ages of the items of each slab class.
type ages [maxClasses]histogram

func (a *ages) add(at time.Time, item client.Item) { a[item.Class%maxClasses].add(age(at, item)) }

// classShares has the share of the items of each slab class that is copied.
type classShares [maxClasses]float64

// shares returns the shares for which there is room, in pages of 1 MiB; all if it is 0. Each slab class is expected to have the same part
// of the pages after the change, so one whose pages are not full, or have items that are not listed because they have expired, keeps more
// of its items. The first page of a class can exceed the limit of the server.
func (a *ages) shares(stats map[string]string, room int) (all classShares) {
	number := func(format string, class int) float64 {
		value, _ := strconv.ParseFloat(stats[fmt.Sprintf(format, class)], 64) // 0 if the class has no items
		return value
	}
	limit, _ := strconv.Atoi(stats["limit_maxbytes"])
	pages := 0.0
	for class := range all {
		pages += number("%d:total_pages", class)
	}
	pages = min(pages, float64(limit>>20))
	for class := range all {
		all[class] = 1
		used := number("%d:used_chunks", class) * float64(a[class].items()) / number("items:%d:number", class)
		if room > 0 && used > 0 {
			all[class] = min(1, float64(room)/pages*number("%d:total_chunks", class)/used)
		}
	}
	return all
}

// passes returns the listings that copy a share of the items of each slab class, from the oldest to the newest. The last one has all that
// the others have skipped.
func (a *ages) passes(shares classShares) []pass {
	var cuts [maxClasses]cut
	var kept histogram
	for class := range a {
		items := a[class].items()
		cuts[class] = a[class].drop(items - int(math.Ceil(float64(items)*shares[class])))
		for bucket, number := range a[class] {
			kept[bucket] += number
		}
	}
	var passes []pass
	for _, band := range kept.bands() {
		passes = append(passes, pass{band, client.ByUse, cuts})
	}
	passes[len(passes)-1] = pass{allAges, client.ByHash, cuts}
	return passes
}

// pass is a listing of the items of a band.
type pass struct {
	band
	order client.Order
	cuts  [maxClasses]cut
}

// selects returns which items to copy. The oldest ones are listed first.
func (p pass) selects(at time.Time) func(client.Item) bool {
	return func(item client.Item) bool {
		age := age(at, item)
		return p.has(age) && p.cuts[item.Class%maxClasses].take(bucket(age))
	}
}

// bands returns bands of about the same number of items, from the oldest to the newest.
func (h *histogram) bands() []band {
	total := h.items()
	all := []band{allAges}
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

var allAges = band{last: len(histogram{})}

func (b band) has(age uint64) bool { return b.first <= bucket(age) && bucket(age) < b.last }

func (b band) String() string {
	if b == allAges {
		return "all items that are left"
	}
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
