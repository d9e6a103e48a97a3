package server

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
)

// blocked returns a controller whose sync and customize hooks send to entered and return after release was called.
func blocked() (controllers []composite.Controller, entered chan struct{}, release func()) {
	entered, released := make(chan struct{}, 16), make(chan struct{})
	block := func() {
		entered <- struct{}{}
		<-released
	}
	controllers = thingController(func(thingRequest) (composite.Desired[struct{}], error) {
		block()
		return composite.Desired[struct{}]{}, nil
	})
	controllers[0].Customize = composite.Customize(func(*metav1.PartialObjectMetadata) []composite.RelatedRule {
		block()
		return nil
	})
	return controllers, entered, func() { close(released) }
}

// TestRetryAfterDiffers: callers that are refused at the same time must not return at the same time.
func TestRetryAfterDiffers(t *testing.T) {
	seen := map[int]bool{}
	for range 1000 {
		seen[retryAfter()] = true
	}
	if len(seen) != 3 {
		t.Errorf("1,000 calls returned %d different values, want 3", len(seen))
	}
}

// TestHeapLimit: a body whose objects need 128 MiB is refused, and its memory is free afterwards.
func TestHeapLimit(t *testing.T) {
	runtime.GC()
	handler := NewHandler(Options{
		Controllers: thingController(func(thingRequest) (composite.Desired[struct{}], error) { return composite.Desired[struct{}]{}, nil }),
		Limits:      Limits{MaxHeapBytes: readMetric("/gc/heap/live:bytes") + 48<<20},
	})
	resources := io.MultiReader(strings.NewReader(`{"controller":{"spec":{"childResources":[{}`), io.LimitReader(&repeated{text: ",{}"}, 12<<20), strings.NewReader(`]}}}`))
	if got := postThing(handler, resources); got.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("the request got %d %s: a retry would fail too", got.Code, got.Body)
	}
	if got := postThing(handler, strings.NewReader(thing)); got.Code != http.StatusOK {
		t.Errorf("the memory of the refused request is not free: the next request got %d %s", got.Code, got.Body)
	}
}

// TestCheckMemory checks which requests are refused above the limit.
func TestCheckMemory(t *testing.T) {
	const limit = 1000
	for _, test := range []struct {
		reason      string
		bytes       int64 // read
		large       int64 // requests
		heap, after int64 // before and after a collection
		want        error
	}{
		{"at the limit, so no collection", reserveBytes, 2, limit, limit + 1, nil},
		{"the memory is not in use anymore", reserveBytes, 2, limit + 1, limit, nil},
		{"a retry may succeed, when the other large request has ended", reserveBytes, 2, limit + 1, limit + 1, errBusy},
		{"a retry would fail too: nothing else runs", reserveBytes, 1, limit + 1, limit + 1, errNoMemory},
		{"a body that has used half of its part of the reserve", reserveBytes / 2, 2, limit * 5 / 4, limit*5/4 + 1, nil},
		{"larger bodies of others have used that part", reserveBytes / 2, 2, limit*5/4 + 1, limit*5/4 + 1, errBusy},
		{"a body at its begin has all of the reserve", 0, 2, limit * 3 / 2, limit*3/2 + 1, nil},
		{"the reserve is in use", 0, 2, limit*3/2 + 1, limit*3/2 + 1, errBusy},
		{"the large request is another one", smallBytes - 1, 1, limit*3/2 + 1, limit*3/2 + 1, errBusy},
	} {
		live := int64(0) // at the last collection, which was long ago
		m := newMemory(limit)
		m.heapBytes, m.liveBytes, m.collect = func() int64 { return test.heap }, func() int64 { return live }, func() { live = test.after }
		m.large.Store(test.large)
		if got := m.check(&body{bytes: test.bytes, large: test.bytes >= smallBytes}); got != test.want { //nolint:errorlint // check returns the value itself
			t.Errorf("%s: %v, want %v", test.reason, got, test.want)
		}
	}
}

// TestSmallRequestsNeedMemory: the rules of small requests can need all memory, and a retry of a large one succeeds when they have ended.
func TestSmallRequestsNeedMemory(t *testing.T) {
	m := newMemory(1)
	m.heapBytes, m.liveBytes, m.collect = func() int64 { return 3 }, func() int64 { return 3 }, func() {}
	m.large.Store(1)
	m.enter("web", smallBytes)
	if got := m.check(&body{bytes: smallBytes, large: true}); got != errBusy { //nolint:errorlint // check returns the value itself
		t.Errorf("a large body while a small request runs: %v, want %v", got, errBusy)
	}
}

// TestSmallBodiesAreChecked: small bodies can have objects at the same time, which need more memory than the hook has.
func TestSmallBodiesAreChecked(t *testing.T) {
	m, heap := newMemory(1), int64(0)
	m.heapBytes, m.liveBytes, m.collect = func() int64 { return heap }, func() int64 { return heap }, func() {}
	b := smallBody(m, strings.NewReader(strings.Repeat("[", smallBytes)))
	if n, err := b.Read(make([]byte, smallBytes)); err != nil || n > checkSmallEvery {
		t.Fatalf("the first part of a body has %d bytes: %v; want at most %d", n, err, checkSmallEvery)
	}
	heap = 3
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, errBusy) {
		t.Errorf("the next part of a body while no memory is left: %v, want %v", err, errBusy)
	}
}

// TestSmallBodiesArrive: a caller that stalls before the end of a small body must not have objects in memory.
func TestSmallBodiesArrive(t *testing.T) {
	part, rest := strings.NewReader(strings.Repeat("[", smallBytes-1)), errors.New("the caller stalls")
	b := smallBody(newMemory(1<<40), io.MultiReader(part, iotest.ErrReader(rest)))
	if n, err := b.Read(make([]byte, smallBytes)); n > 0 || !errors.Is(err, rest) {
		t.Errorf("%d bytes of an unfinished body are read: %v", n, err)
	}
}

// TestSmallBodiesShareBuffers: hundreds of refused requests must not leave garbage of their size, whose collections cost others their time.
func TestSmallBodiesShareBuffers(t *testing.T) {
	const bodies = 400
	m, content := newMemory(1<<40), strings.Repeat(" ", smallBytes)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range bodies {
		b := smallBody(m, strings.NewReader(content))
		if _, err := b.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		b.done()
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / bodies; each > smallBytes {
		t.Errorf("each small body allocates %d bytes; with a buffer of its own, it needs more than its size of %d", each, smallBytes)
	}
}

func smallBody(m *memory, content io.Reader) *body {
	return &body{
		ReadCloser: io.NopCloser(content), length: smallBytes, memory: m, start: time.Now(),
		deadlines: http.NewResponseController(httptest.NewRecorder()),
	}
}

// TestMaxCollections: a body that forces a collection for each of its parts must not keep its turn.
func TestMaxCollections(t *testing.T) {
	const limit = 1000
	synctest.Test(t, func(t *testing.T) {
		m, b := newMemory(limit), &body{bytes: reserveBytes, large: true, connection: new(connection)}
		m.heapBytes, m.liveBytes, m.collect = func() int64 { return limit + 1 }, func() int64 { return limit }, func() {}
		m.large.Store(2)
		for i := range maxCollections + 1 {
			if err := m.check(b); (err == nil) != (i < maxCollections) {
				t.Errorf("check %d: %v, want an error from check %d on", i, err, maxCollections)
			}
		}
	})
}

// TestCollections: collections are not more frequent than collectInterval, however many checks ask for one.
func TestCollections(t *testing.T) {
	collections := 0
	m := newMemory(0)
	m.collect = func() { collections++ }
	began := time.Now()
	var checks sync.WaitGroup
	for range 20 {
		checks.Go(m.collectAgain)
	}
	checks.Wait()
	if took := time.Since(began); collections == 0 || collections > 1+int(took/collectInterval) {
		t.Errorf("%d collections in %s", collections, took)
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
