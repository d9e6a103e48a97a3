package webhook

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// Limits are the limits of all requests together. Each zero field means the default.
type Limits struct {
	// MaxBodyBytes is the largest size of a request's body. A larger body gets 413.
	MaxBodyBytes int64
	// MaxInFlight is the largest number of requests in flight. Requests above the limit get 429.
	MaxInFlight int
	// MaxInFlightBytes is the largest sum of the bodies of the requests in flight. Requests above the limit get 429.
	MaxInFlightBytes int64
	// MaxHeapBytes is the largest size of the live heap at which bodies are read. Above the limit a request gets 429, or 413
	// if no other request is in flight.
	MaxHeapBytes int64
}

// DefaultLimits returns the default limits.
func DefaultLimits() Limits {
	return Limits{
		// A pod with its managedFields has about 8 kB, so a parent can have several thousand pods.
		MaxBodyBytes: 64 << 20,
		// Metacontroller has fewer workers.
		MaxInFlight: 64,
		// The largest body twice, or 17 syncs of 1,000 pods.
		MaxInFlightBytes: 128 << 20,
		// With 80 MiB the heap of a hostile request (test/faults) peaks near 200 MiB; the pod's limit is 256 MiB. Two syncs of 8,000
		// pods at the same time peak at 43 MiB.
		MaxHeapBytes: 64 << 20,
	}
}

func (l Limits) withDefaults() Limits {
	defaults := DefaultLimits()
	return Limits{
		MaxBodyBytes:     cmp.Or(l.MaxBodyBytes, defaults.MaxBodyBytes),
		MaxInFlight:      cmp.Or(l.MaxInFlight, defaults.MaxInFlight),
		MaxInFlightBytes: cmp.Or(l.MaxInFlightBytes, defaults.MaxInFlightBytes),
		MaxHeapBytes:     cmp.Or(l.MaxHeapBytes, defaults.MaxHeapBytes),
	}
}

var (
	errBusy     = &httpError{http.StatusTooManyRequests, "the hook is busy; Metacontroller tries again"}
	errNoMemory = &httpError{http.StatusRequestEntityTooLarge, "the request needs more memory than --max-heap-bytes allows"}
)

// requestGate admits requests and the reading of their bodies within the limits.
type requestGate struct {
	limits Limits

	mutex    sync.Mutex
	inFlight int
	bytes    int64 // the sum of the bodies in flight

	heapMutex    sync.Mutex
	collectAbove int64     // the size of the heap above which a collection is forced
	refused      time.Time // of the last refusal with errBusy after a collection
}

func newRequestGate(limits Limits) *requestGate {
	return &requestGate{limits: limits, collectAbove: limits.MaxHeapBytes}
}

// enter admits or refuses a request by the length of its body, -1 if unknown. It never waits, because a queue would grow
// without a limit. An admitted request must call leave.
func (g *requestGate) enter(length int64) (leave func(), err error) {
	if length > g.limits.MaxBodyBytes {
		return nil, &http.MaxBytesError{Limit: g.limits.MaxBodyBytes}
	}
	if length < 0 {
		length = g.limits.MaxBodyBytes
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.inFlight+1 > g.limits.MaxInFlight || g.bytes+length > g.limits.MaxInFlightBytes {
		return nil, errBusy
	}
	g.inFlight++
	g.bytes += length
	return func() { g.leave(length) }, nil
}

func (g *requestGate) leave(length int64) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.inFlight--
	g.bytes -= length
}

func (g *requestGate) alone() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.inFlight == 1
}

// collectInterval is the shortest time between two forced collections that find the live heap above the limit. A collection of
// 64 MiB takes about 25 ms of CPU time.
const collectInterval = 100 * time.Millisecond

// checkHeap returns an error if the live heap is above the limit. The length of a body shows little about the memory that its
// objects need, so checkHeap measures the heap instead.
//
// A heap above the limit may be garbage, so checkHeap forces a collection to find out. To save CPU time, it forces the next one
// after half of the limit has been allocated, or collectInterval after a refusal.
func (g *requestGate) checkHeap() error {
	g.heapMutex.Lock()
	defer g.heapMutex.Unlock()
	if heapBytes() <= g.collectAbove {
		return nil
	}
	if time.Since(g.refused) < collectInterval {
		return errBusy
	}
	runtime.GC()
	limit, live := g.limits.MaxHeapBytes, heapBytes()
	if live <= limit {
		g.collectAbove = max(limit, live+limit/2)
		return nil
	}
	g.collectAbove = limit
	if g.alone() { // a retry would fail too, and Metacontroller creates no Event for a 429
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
