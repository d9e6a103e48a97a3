package copier

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// TestBands checks that the bands are in the order of the ages, have each age once, and have about the same number of items.
func TestBands(t *testing.T) {
	cases := []struct {
		reason string
		ages   []uint64
		bands  int
	}{
		{"no item", nil, 1},
		{"all items have the same age", []uint64{7, 7, 7, 7, 7, 7, 7, 7, 7}, 1},
		{"all items are new", []uint64{0, 0, 0}, 1},
		{"each item has another age", []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, maxBands},
		{"a clock jumped", []uint64{maxAge, 1 << 28, 3, 0}, 4},
	}
	for _, test := range cases {
		var h histogram
		for _, age := range test.ages {
			h.add(age)
		}
		bands := h.bands()
		if len(bands) != test.bands {
			t.Errorf("%s: %d bands, want %d: %.300v", test.reason, len(bands), test.bands, bands)
		}
		for i, each := range bands[:len(bands)-1] {
			if each.first != bands[i+1].last {
				t.Errorf("%s: band %d begins at %d, and the next one ends at %d", test.reason, i, each.first, bands[i+1].last)
			}
		}
		if !bands[0].has(maxAge) || !bands[len(bands)-1].has(0) {
			t.Errorf("%s: the bands have not all ages: %.300v", test.reason, bands)
		}
	}
}

// TestPasses checks which items are copied, and in which order: the newest ones of each slab class for which there is room. Items are
// listed from the oldest to the newest.
func TestPasses(t *testing.T) {
	items := func(class int, ages ...int64) (all []client.Item) {
		for _, age := range ages {
			all = append(all, client.Item{Class: class, Accessed: 1800000000 - age})
		}
		return all
	}
	at := time.Unix(1800000000, 0)
	for _, test := range []struct {
		reason string
		items  []client.Item
		share  float64
		want   string // class and age of each
	}{
		{"there is room for all", items(1, 9, 3, 1), 1, "1:9 1:3 1:1"},
		{"there is room for none", items(1, 9, 3, 1), 0, ""},
		{"half of each slab class", append(items(1, 900, 800, 2, 1), items(2, 90, 80, 8, 8)...), 0.5, "2:8 2:8 1:2 1:1"},
		{"of those with the same age, the ones that are evicted first stay", items(1, 5, 5, 5, 4), 0.5, "1:5 1:4"},
		{"a part of an item is an item", items(1, 3, 2, 1), 0.5, "1:2 1:1"},
	} {
		var found ages
		for _, item := range test.items {
			found.add(at, item)
		}
		var got []string
		moved := map[int]bool{}
		for _, pass := range found.passes(classShares{1: test.share, 2: test.share}) {
			selects := pass.selects(at)
			for i, item := range test.items {
				if !moved[i] && selects(item) {
					moved[i] = true
					got = append(got, fmt.Sprintf("%d:%d", item.Class, age(at, item)))
				}
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: copies %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestShares checks what share of the items is copied. The statistics are those of memcached 1.6.45.
func TestShares(t *testing.T) {
	for _, test := range []struct {
		reason              string
		limit, room, listed int
		want                string
	}{
		{"room for all that there are", 64, 64, 53100, "1.00 1.00 1.00"},
		{"three quarters of the pages: those that are not full have room for more", 64, 48, 53100, "0.91 1.00 0.75"},
		{"a fifth of the items has expired", 64, 48, 42480, "0.91 1.00 0.94"},
		{"a server of which only a part was used", 128, 64, 53100, "1.00 1.00 1.00"},
		{"more pages than the limit, as after the change", 62, 62, 53100, "1.00 1.00 1.00"},
		{"nobody says how much room there is", 64, 0, 53100, "1.00 1.00 1.00"},
		{"no items are left", 64, 48, 0, "0.91 1.00 1.00"},
	} {
		stats := map[string]string{
			"1:total_pages": "2", "1:total_chunks": "21844", "1:used_chunks": "18000", "items:1:number": "18000",
			"2:total_pages": "2", "2:total_chunks": "17476", "2:used_chunks": "10000", "items:2:number": "10000",
			"12:total_pages": "60", "12:total_chunks": "53100", "12:used_chunks": "53100", "items:12:number": "53100",
			"limit_maxbytes": strconv.Itoa(test.limit << 20),
		}
		found := ages{1: {0: 18000}, 2: {0: 10000}, 12: {0: test.listed}}
		all := found.shares(stats, test.room)
		if got := fmt.Sprintf("%.2f %.2f %.2f", all[1], all[2], all[12]); got != test.want {
			t.Errorf("%s: copies the shares %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestBuckets checks that buckets are in the order of ages, and that an age is at least the youngest age of its bucket.
func TestBuckets(t *testing.T) {
	for age, last := uint64(0), -1; age < 1<<20; age++ {
		number := bucket(age)
		if number != last && number != last+1 {
			t.Fatalf("the bucket of age %d is %d, after %d", age, number, last)
		}
		if number != last && youngest(number) != time.Duration(age)*time.Second {
			t.Fatalf("the bucket of age %d begins at %s", age, youngest(number))
		}
		last = number
	}
}

func TestAge(t *testing.T) {
	at := time.Unix(1800000000, 0)
	for accessed, want := range map[int64]uint64{1799999990: 10, 1800000000: 0, 1800000009: 0} {
		if got := age(at, client.Item{Accessed: accessed}); got != want {
			t.Errorf("the age of an item that was used at %d is %d, want %d", accessed, got, want)
		}
	}
}

// TestProtocol checks that the routes use the same CAS uniques, Opaque, and response of proxies that move items.
func TestProtocol(t *testing.T) {
	for _, want := range []string{fmt.Sprintf("0x%x", proxyMark), fmt.Sprintf("%q", Opaque), moving} {
		if !strings.Contains(proxy.Library, want) {
			t.Errorf("library.lua has no %s", want)
		}
	}
}

// TestResponses checks that only responses of a memcached proxy count: a copy that ended after others would give up items.
func TestResponses(t *testing.T) {
	for line, want := range map[string]bool{
		"HD": true, "HD c17": true, "EN": true, "SERVER_ERROR backend failure": true,
		"": false, "ERROR": false, "CLIENT_ERROR bad command line format": false, "HTTP/1.1 400 Bad Request": false, "HDX": false,
	} {
		if got := isResponse([]byte(line)); got != want {
			t.Errorf("%q is a response: %t, want %t", line, got, want)
		}
	}
}
