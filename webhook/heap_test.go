package webhook

import (
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
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
	time.Sleep(collectInterval)
	if next := postThing(handler, strings.NewReader(thing)); next.Code != http.StatusOK {
		t.Errorf("the memory of refused requests is not free: the next request got %d %s", next.Code, next.Body)
	}
}

// TestHeapLimitIgnoresGarbage: only the live heap counts, and not every check above the limit forces a collection.
func TestHeapLimitIgnoresGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // only forced collections
	live := make([]byte, 64<<20)
	runtime.GC()
	guard := newHeapGuard(heapBytes() - 32<<20)
	guard.requests.Store(2)
	if err := guard.check(); err != errBusy { //nolint:errorlint // check returns the value itself
		t.Errorf("the live heap is above the limit: %v", err)
	}
	runtime.KeepAlive(live)
	if err := guard.check(); err == nil {
		t.Errorf("a collection was forced within %s of a refusal", collectInterval)
	}
	guard.refused = time.Time{}
	if err := guard.check(); err != nil {
		t.Errorf("only garbage is above the limit: %v", err)
	}

	live = make([]byte, guard.maxBytes/2)
	for range 4 {
		heapObject = make([]byte, guard.maxBytes/4)
	}
	if err := guard.check(); err != nil || guard.collectAbove <= guard.maxBytes {
		t.Errorf("near the limit the next collection must wait until more is allocated: above %d, limit %d, %v", guard.collectAbove, guard.maxBytes, err)
	}
	runtime.KeepAlive(live)
}

// heapObject keeps the compiler from removing an allocation.
var heapObject []byte

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
