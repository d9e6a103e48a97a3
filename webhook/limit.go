package webhook

import (
	"math/rand/v2"
	"sync"
)

// Bounds of the work and memory at one time. Metacontroller's workers are fewer than the requests; the bodies are
// those of 17 syncs of 1,000 pods, and twice the largest one.
const (
	DefaultMaxInFlight      = 64
	DefaultMaxInFlightBytes = 2 * DefaultMaxBodyBytes
)

// busyError says that there is too much to do for one more request.
type busyError struct{}

func (*busyError) Error() string { return "the hook is busy: it will answer when called again" }

// gate bounds what is in work at once: the number of requests, the sum of their bodies, and the memory that they take.
type gate struct {
	maxRequests int
	maxBytes    int64
	heap        heap

	mutex  sync.Mutex
	inWork int
	bytes  int64
}

func newGate(options Options) *gate {
	return &gate{
		maxRequests: options.MaxInFlight,
		maxBytes:    options.MaxInFlightBytes,
		heap:        heap{limit: options.MaxHeapBytes},
	}
}

// enter takes a request in or refuses it; it never waits, for a queue would be one more thing that grows. Whoever is
// taken in must leave.
func (g *gate) enter(bytes int64) (leave func(), err error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.inWork+1 > g.maxRequests || g.bytes+bytes > g.maxBytes {
		return nil, &busyError{}
	}
	g.inWork++
	g.bytes += bytes
	return func() { g.leave(bytes) }, nil
}

func (g *gate) leave(bytes int64) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.inWork--
	g.bytes -= bytes
}

// retryAfter is when a caller that was refused should call again, in seconds: at least 1, for Metacontroller takes 0 as
// at once; at most 5; and not the same for all, who would come back together.
func retryAfter() int { return 1 + rand.IntN(5) }
