//go:build servers

package servers

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// schedule is an order of the requests of clients for one key that moves, and what the model of the exploration says about it.
type schedule struct {
	// Name is lease for orders in which a proxy takes over from one that has ended.
	Name, Verdict string
	Grow          bool // from one server to two, or else from two to one
	Clients       []replayClient
	// Order has the number of a client for each request that reaches a server. After a negative number, the proxy of the
	// client ends without the response.
	Order []int
	// Before and After have the items of the key on its server before the change (from), and on the one after it (to).
	Before, After [2]*item
}

// replayClient is a client of a proxy in a phase.
type replayClient struct {
	Phase               string
	Commands, Responses []string
}

type item struct {
	Value, Flags string
	CAS          uint64 `json:",string"`
	TTL          int
	Stale        bool
}

// TestProxyReplay runs random schedules of the exploration with real proxies and servers, and compares responses and items with
// those of the model. In a few of them, an owner has ended, and another proxy takes over. Those run at the same time.
func TestProxyReplay(t *testing.T) {
	seed := randomSeed()
	lua := exec.CommandContext(t.Context(), "lua5.4", "sample.lua", "../library.lua", "./", "500", strconv.FormatUint(seed, 10))
	lua.Dir = "../../webhook/memcached/proxy/testdata"
	sample, err := lua.Output()
	if err != nil {
		t.Fatalf("lua5.4 (in Debian and Ubuntu: apt-get install lua5.4): %v", err)
	}
	r := newReplay(t)
	start, counts, slow, failed := time.Now(), map[string]int{}, 0, 0
	for line := range strings.Lines(string(sample)) {
		var want schedule
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		want.normalize()
		counts[want.Name]++
		if want.Name == "lease" { // the item of a proxy that ends can be lost, so any verdict is right
			t.Run(want.Name, func(t *testing.T) {
				t.Parallel()
				r := newReplay(t)
				r.compare(want, r.play(want))
			})
			continue
		}
		began := time.Now()
		got := r.play(want)
		if time.Since(began) > time.Second { // another proxy may have taken over
			slow++
			clear(r.proxies)
			got = r.play(want)
		}
		if !r.compare(want, got) {
			clear(r.proxies)
			if failed++; failed == 10 {
				t.FailNow()
			}
		}
	}
	for name, least := range map[string]int{"lease": 3, "random": 500} {
		if counts[name] < least {
			t.Errorf("%d schedules %s, want at least %d", counts[name], name, least)
		}
	}
	fmt.Printf("proxy: replayed %v schedules of the exploration with -proxy-seed=%d, %d of them twice (%.1f s)\n", counts, seed, slow, time.Since(start).Seconds())
}

// compare reports a difference between a schedule and the model, and whether there is none.
func (r *replay) compare(want, got schedule) bool {
	r.Helper()
	diff := cmp.Diff(want, got)
	if diff != "" {
		r.Errorf("memcached does not behave as the model (-want +got), with the order %v:\n%s\n%s", want.Order, diff, strings.Join(r.trace, "\n"))
	}
	return diff == ""
}

// unique finds the CAS unique in a response.
var unique = regexp.MustCompile(`(^VALUE \S+ \d+ \d+ | c)(\d+)`)

// normalize hides the CAS uniques in responses, because the model has others than memcached.
func (s *schedule) normalize() {
	for _, c := range s.Clients {
		for i, response := range c.Responses {
			c.Responses[i] = unique.ReplaceAllString(response, "${1}unique")
		}
	}
}

// command returns the command that gives a server the item.
func (i *item) command() string {
	if i == nil {
		return "md " + movingKey + "\r\n"
	}
	expires := int64(0)
	if i.TTL >= 0 {
		expires = time.Now().Unix() + int64(i.TTL)
	}
	return fmt.Sprintf("ms %s %d F%s E%d T%d\r\n%s\r\n", movingKey, len(i.Value), i.Flags, i.CAS, expires, i.Value)
}

// item returns the item that a server has, with the TTL and the CAS unique of the model if they differ only as expected.
func (r *replay) item(from *client, want *item) *item {
	r.Helper()
	got := from.must(r, "mg "+movingKey+" f t c v\r\n")[0]
	if got.line == "EN" {
		return nil
	}
	has := item{Value: got.value, Stale: strings.Contains(got.line, " X")}
	var size int
	if _, err := fmt.Sscanf(got.line, "VA %d f%s t%d c%d", &size, &has.Flags, &has.TTL, &has.CAS); err != nil {
		r.Fatalf("%s: %v", got.line, err)
	}
	if want == nil {
		return &has
	}
	if has.TTL > 0 && max(has.TTL-want.TTL, want.TTL-has.TTL) <= max(3, want.TTL/10) { // the duration of a schedule, and of the test
		has.TTL = want.TTL
	}
	if state(has.CAS) == state(want.CAS) {
		has.CAS = want.CAS
	}
	return &has
}

// state returns the state of a key as library.lua derives it from the CAS unique of an item on its previous server.
func state(unique uint64) string {
	if unique>>52 == 0x6d6 {
		return "of a proxy"
	}
	return "plain"
}
