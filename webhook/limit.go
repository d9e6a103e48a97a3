package webhook

import (
	"math/rand/v2"
	"net/http"
	"sync"
)

// Bounds of the work and memory at one time. Metacontroller's workers are fewer than the requests; the bodies are
// those of 17 syncs of 1,000 pods, and twice the largest one.
const (
	DefaultMaxInFlight      = 64
	DefaultMaxInFlightBytes = 2 * DefaultMaxBodyBytes
)

// busyError says that a request was not taken in.
type busyError struct{}

func (*busyError) Error() string { return "the hook is busy: it will answer when called again" }

// gate bounds what is in work at once: the number of requests and the sum of their bodies.
type gate struct {
	mutex    sync.Mutex
	requests int
	bytes    int64
}

// enter takes a request in or refuses it; it never waits, for a queue would be one more thing that grows. Whoever is
// taken in must leave.
func (g *gate) enter(bytes int64) (leave func(), err error) {
	if !g.take(1, bytes) {
		return nil, &busyError{}
	}
	return func() { g.take(-1, -bytes) }, nil
}

func (g *gate) take(requests int, bytes int64) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if requests > g.requests || bytes > g.bytes {
		return false
	}
	g.requests -= requests
	g.bytes -= bytes
	return true
}

// bodyBytes is what a request's body may come to. Metacontroller announces the length.
func bodyBytes(r *http.Request, limit int64) (int64, error) {
	if r.ContentLength > limit {
		return 0, &http.MaxBytesError{Limit: limit}
	}
	if r.ContentLength < 0 {
		return limit, nil
	}
	return r.ContentLength, nil
}

// retryAfter is when a caller that was refused should call again, in seconds: at least 1, for Metacontroller takes 0 as
// at once; at most 5; and not the same for all, who would come back together.
func retryAfter() int { return 1 + rand.IntN(5) }
