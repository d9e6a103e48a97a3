package webhook

import (
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/composite"
)

func TestRequestGate(t *testing.T) {
	gate := newRequestGate(Limits{MaxBodyBytes: 80, MaxInFlight: 3, MaxInFlightBytes: 100})
	steps := []struct {
		reason string
		length int64
		ok     bool
	}{
		{"a body above the limit", 81, false},
		{"a body within the limits", 60, true},
		{"the sum of the bodies is above the limit", 41, false},
		{"a body of unknown length counts as the largest body", -1, false},
		{"a refused request does not count", 40, true},
		{"an empty body", 0, true},
		{"the number of requests is above the limit", 0, false},
	}
	var leaves []func()
	for _, step := range steps {
		leave, err := gate.enter(step.length)
		if (err == nil) != step.ok {
			t.Errorf("%s: %v", step.reason, err)
		}
		if err == nil {
			leaves = append(leaves, leave)
		}
	}
	for _, leave := range leaves {
		leave()
	}
	if gate.inFlight != 0 || gate.bytes != 0 {
		t.Errorf("all requests have left, but %d requests with %d bytes are in flight", gate.inFlight, gate.bytes)
	}
}

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

func TestBusy(t *testing.T) {
	known := func() io.Reader { return strings.NewReader(thing) }
	unknown := func() io.Reader { return io.MultiReader(strings.NewReader(thing)) }
	for _, test := range []struct {
		reason string
		limits Limits
		body   func() io.Reader
	}{
		{"the number of requests is limited", Limits{MaxInFlight: 1}, unknown},
		{"the sum of the bodies is limited", Limits{MaxInFlightBytes: int64(len(thing)) * 3 / 2}, known},
		{"a body of unknown length counts as the largest body", Limits{MaxBodyBytes: 1 << 20, MaxInFlightBytes: 1<<20 + 1<<19}, unknown},
	} {
		controllers, entered, release := blocked()
		handler := NewHandler(Options{Controllers: controllers, Limits: test.limits})
		first := make(chan int)
		go func() { first <- postThing(handler, test.body()).Code }()
		<-entered
		for range 50 {
			refused := postThing(handler, test.body())
			after, err := strconv.Atoi(refused.Header().Get("Retry-After"))
			if refused.Code != http.StatusTooManyRequests || err != nil || after < 1 || after > 5 {
				t.Fatalf("%s: the second request got %d, Retry-After %q; Metacontroller retries immediately without it", test.reason, refused.Code, refused.Header().Get("Retry-After"))
			}
		}
		release()
		if code := <-first; code != http.StatusOK {
			t.Errorf("%s: the first request got %d", test.reason, code)
		}
		if next := postThing(handler, test.body()); next.Code != http.StatusOK {
			t.Errorf("%s: the request after the first one has ended got %d %s", test.reason, next.Code, next.Body)
		}
	}
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
	gate := newRequestGate(Limits{MaxHeapBytes: heapBytes() - 32<<20})
	gate.inFlight = 2
	if err := gate.checkHeap(); err != errBusy { //nolint:errorlint // checkHeap returns the value itself
		t.Errorf("the live heap is above the limit: %v", err)
	}
	runtime.KeepAlive(live)
	if err := gate.checkHeap(); err == nil {
		t.Errorf("a collection was forced within %s of a refusal", collectInterval)
	}
	gate.refused = time.Time{}
	if err := gate.checkHeap(); err != nil {
		t.Errorf("only garbage is above the limit: %v", err)
	}

	live = make([]byte, gate.limits.MaxHeapBytes/2)
	for range 4 {
		heapObject = make([]byte, gate.limits.MaxHeapBytes/4)
	}
	if err := gate.checkHeap(); err != nil || gate.collectAbove <= gate.limits.MaxHeapBytes {
		t.Errorf("near the limit the next collection must wait until more is allocated: above %d, limit %d, %v", gate.collectAbove, gate.limits.MaxHeapBytes, err)
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
