package server

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/composite"
)

// blocked returns a controller whose sync hook sends to entered and returns after release was called.
func blocked() (controllers []composite.Controller, entered chan struct{}, release func()) {
	entered, released := make(chan struct{}, 16), make(chan struct{})
	controllers = thingController(func(observedThing) (composite.Desired[struct{}], error) {
		entered <- struct{}{}
		<-released
		return composite.Desired[struct{}]{}, nil
	})
	return controllers, entered, func() { close(released) }
}

// TestRetryAfterDiffers: callers that are refused at the same time must not return at the same time.
func TestRetryAfterDiffers(t *testing.T) {
	seen := map[int]bool{}
	for range 1000 {
		seen[retryAfter()] = true
	}
	if len(seen) != 5 {
		t.Errorf("1,000 calls returned %d different values, want 5", len(seen))
	}
}

// TestHeapLimit: bodies of the same size differ by a factor of 1,000 in the memory that they need.
func TestHeapLimit(t *testing.T) {
	controllers, entered, release := blocked()
	runtime.GC()
	handler := NewHandler(Options{Controllers: controllers, Limits: Limits{MaxHeapBytes: heapBytes() + 24<<20}})
	// Each {} becomes an owner reference. All of them need 800 MiB.
	owners := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"parent":{"metadata":{"ownerReferences":[{}`), io.LimitReader(&repeated{text: ",{}"}, 12<<20), strings.NewReader(`]}}}`))
	}
	if alone := postThing(handler, owners()); alone.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("alone, the request got %d %s: a retry would fail too", alone.Code, alone.Body)
	}
	first := make(chan int)
	go func() { first <- postThing(handler, strings.NewReader(thing)).Code }()
	<-entered
	if second := postThing(handler, owners()); second.Code != http.StatusTooManyRequests {
		t.Errorf("with another request in flight, the request got %d %s: a retry may succeed", second.Code, second.Body)
	}
	release()
	if code := <-first; code != http.StatusOK {
		t.Errorf("the first request got %d, although its body was read before", code)
	}
	next := postThing(handler, strings.NewReader(thing))
	for deadline := time.Now().Add(10 * time.Second); next.Code == http.StatusTooManyRequests && time.Now().Before(deadline); {
		next = postThing(handler, strings.NewReader(thing)) // until collectInterval has passed
	}
	if next.Code != http.StatusOK {
		t.Errorf("the memory of refused requests is not free: the next request got %d %s", next.Code, next.Body)
	}
}

// TestHeapGuard checks that only the live heap counts, and how often a check above the limit forces a collection.
func TestHeapGuard(t *testing.T) {
	const limit = 100
	const long = 2 * collectInterval
	cases := []struct {
		reason        string
		heap, live    int64 // before and after a collection
		requests      int64
		collectAbove  int64
		refused       time.Duration // ago
		want          error
		wantCollected bool
		wantAbove     int64
	}{
		{"at the limit", limit, limit, 2, limit, long, nil, false, limit},
		{"only garbage is above the limit: the next collection waits until half of the limit is allocated", limit + 1, 60, 2, limit, long, nil, true, 60 + limit/2},
		{"almost no live heap: a collection is forced above the limit only", limit + 1, 10, 2, limit, long, nil, true, limit},
		{"the live heap is at the limit", limit + 1, limit, 2, limit, long, nil, true, limit + limit/2},
		{"the live heap is above the limit", limit + 2, limit + 1, 2, limit, long, errBusy, true, limit},
		{"the live heap is above the limit because of one request: a retry would fail too", limit + 2, limit + 1, 1, limit, long, errNoMemory, true, limit},
		{"right after a refusal, no collection is forced", limit + 1, 10, 2, limit, -time.Hour, errBusy, false, limit},
		{"after a collection, not enough was allocated for the next one", 150, 120, 2, 150, long, nil, false, 150},
		{"after a collection, enough was allocated, and it is not garbage", 151, 120, 2, 150, long, errBusy, true, limit},
	}
	for _, test := range cases {
		heap, collected := test.heap, false
		guard := newHeapGuard(limit)
		guard.heapBytes, guard.collect = func() int64 { return heap }, func() { heap, collected = test.live, true }
		guard.requests.Store(test.requests)
		refused := time.Now().Add(-test.refused)
		guard.collectAbove, guard.refused = test.collectAbove, refused
		err := guard.check()
		if err != test.want || collected != test.wantCollected || guard.collectAbove != test.wantAbove { //nolint:errorlint // check returns the value itself
			t.Errorf("%s: %v, collected %t, the next collection above %d; want %v, %t, %d", test.reason, err, collected, guard.collectAbove,
				test.want, test.wantCollected, test.wantAbove)
		}
		if recorded := !guard.refused.Equal(refused); recorded != (test.wantCollected && test.want == errBusy) { //nolint:errorlint // the same
			t.Errorf("%s: a refusal is recorded: %t", test.reason, recorded)
		}
	}
}

// repeated reads a text again and again.
type repeated struct {
	text   string
	offset int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.offset]
		r.offset = (r.offset + 1) % len(r.text)
	}
	return len(p), nil
}
