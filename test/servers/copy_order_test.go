//go:build servers

package servers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// TestProxyCopyOrder copies items to a server that has memory for about half of them. The items that were used last remain.
func TestProxyCopyOrder(t *testing.T) {
	const ages, perAge = 24, 4000
	from := startOne(t, freeAddress(t), "-m", "100")
	to := startOne(t, freeAddress(t), "-m", "14")
	client := dialClient(t, from.address)
	for age := range ages { // the oldest first
		var commands strings.Builder
		for i := range perAge {
			fmt.Fprintf(&commands, "ms item-%d-%d 500 q\r\n%s\r\n", age, i, strings.Repeat("x", 500))
		}
		client.must(t, commands.String())
		time.Sleep(time.Second) // the unit of ages
	}
	lists := []string{from.address, to.address}
	if err := copyItems(t.Context(), from.address, startPhase(t, moves.Warming, lists[:1], lists).address, 1_000_000); err != nil {
		t.Fatal(err)
	}
	current := dialClient(t, to.address)
	var moved, kept []int // by age
	for age := range ages {
		var onFrom, onTo strings.Builder
		for i := range perAge {
			fmt.Fprintf(&onFrom, "mg item-%d-%d u c\r\n", age, i)
			fmt.Fprintf(&onTo, "mg item-%d-%d u s\r\n", age, i)
		}
		moved = append(moved, countOf(client.must(t, onFrom.String()), "EN"))
		kept = append(kept, countOf(current.must(t, onTo.String()), "HD s500"))
	}
	total, best := 0, 0
	for _, each := range kept {
		total += each
	}
	for age, left := ages-1, total; age >= 0; age-- { // an LRU keeps the newest ones
		ideal := min(moved[age], left)
		left -= ideal
		best += min(kept[age], ideal)
	}
	fmt.Printf("proxy: %d of %d items fit; %.1f%% of those that an LRU keeps are kept; by age %v\n", total, sum(moved), 100*float64(best)/float64(total), kept)
	if total < sum(moved)/4 || best < total*8/10 {
		t.Errorf("want at least a quarter of the items, and 80%% of those that an LRU keeps: moved %v, kept %v", moved, kept)
	}
}

func countOf(responses []response, line string) int {
	return len(slices.DeleteFunc(responses, func(r response) bool { return r.line != line }))
}

func sum(numbers []int) (total int) {
	for _, each := range numbers {
		total += each
	}
	return total
}
