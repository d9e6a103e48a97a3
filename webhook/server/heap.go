package server

import (
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errBusy     = &httpError{http.StatusTooManyRequests, "the hook is busy; Metacontroller tries again"}
	errNoMemory = &httpError{http.StatusRequestEntityTooLarge, "the request needs more memory than --max-heap-bytes allows"}
)

// heapGuard limits the memory of all requests together. The length of a body shows little about the memory that its objects need,
// so the guard measures the heap while bodies are read.
type heapGuard struct {
	maxBytes int64
	requests atomic.Int64 // in flight
	// heapBytes returns the size of the heap, and collect forces a collection.
	heapBytes func() int64
	collect   func()

	mutex        sync.Mutex
	collectAbove int64     // the size of the heap above which a collection is forced
	refused      time.Time // of the last refusal with errBusy after a collection
}

func newHeapGuard(maxBytes int64) *heapGuard {
	return &heapGuard{maxBytes: maxBytes, collectAbove: maxBytes, heapBytes: heapBytes, collect: runtime.GC}
}

// collectInterval is the shortest time between two forced collections that find the live heap above the limit. A collection of
// 64 MiB takes about 25 ms of CPU time.
const collectInterval = 100 * time.Millisecond

// check returns an error if the live heap is above the limit.
//
// A heap above the limit may be garbage, so check forces a collection to find out. To save CPU time, it forces the next one
// after half of the limit has been allocated, or collectInterval after a refusal.
func (g *heapGuard) check() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.heapBytes() <= g.collectAbove {
		return nil
	}
	if time.Since(g.refused) < collectInterval {
		return errBusy
	}
	g.collect()
	live := g.heapBytes()
	if live <= g.maxBytes {
		g.collectAbove = max(g.maxBytes, live+g.maxBytes/2)
		return nil
	}
	g.collectAbove = g.maxBytes
	if g.requests.Load() == 1 { // a retry would fail too, and Metacontroller creates no Event for a 429
		return errNoMemory
	}
	g.refused = time.Now()
	return errBusy
}

// heapBytes returns the size of all objects on the heap, including garbage.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// retryAfter returns the Retry-After of a 429 in seconds. It is at least 1, because Metacontroller retries immediately after
// a 0, and random up to 5, so that refused callers do not return at the same time.
func retryAfter() int { return 1 + rand.IntN(5) }
