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
	errBusy     = &httpError{http.StatusTooManyRequests, "the hook is busy, and Metacontroller will retry"}
	errNoMemory = &httpError{http.StatusRequestEntityTooLarge, "the request needs more memory than --max-heap-bytes allows"}
)

// memory limits the memory of all requests together, from the first byte of a body to the last byte of a response. The length of a
// body shows little about the memory that its objects need, so memory measures the heap while bodies are read.
type memory struct {
	maxBytes int64
	large    atomic.Int64 // requests with more than smallBytes, until their response is written
	*queue
	// heapBytes returns the size of all objects, in use or not, and liveBytes that of those that the last collection has found in use.
	// collect forces a collection.
	heapBytes, liveBytes func() int64
	collect              func()

	mutex sync.Mutex
	began time.Time // the last forced collection
}

func newMemory(maxBytes int64) *memory {
	return &memory{
		maxBytes:  maxBytes,
		queue:     newQueue(runtime.GOMAXPROCS(0)),
		heapBytes: func() int64 { return readMetric("/memory/classes/heap/objects:bytes") },
		liveBytes: func() int64 { return readMetric("/gc/heap/live:bytes") },
		collect:   runtime.GC,
	}
}

const (
	// checkEvery is the number of bytes of a body between two checks, and checkSmallEvery that of a small one that has arrived. The objects of a body
	// need up to 80 times its size, if they are empty.
	checkEvery      = 64 << 10
	checkSmallEvery = 16 << 10
	// smallBytes is the size up to which a body is small, and cannot exceed the limit alone. A sync of 3 pods has 27 kB. A first part of a larger body,
	// of this size, is read without a turn. It has the namespace of the parent, even if annotations and managedFields repeat 32 KiB of spec before it.
	smallBytes = 256 << 10
	// reserveBytes is the size from which a body has no part of the reserve, which is half of the limit. The more of a body has been read, the less of
	// the reserve it may use: otherwise the large bodies of one tenant would keep out the smaller ones of all others. A sync of 1,000 pods has 8 MB.
	reserveBytes = 16 << 20
	// maxCollections is how many collections a body may force. If the memory in use is just below the limit, each part of a body would force one, and
	// keep other large bodies waiting for 100 ms.
	maxCollections = 3
	// collectInterval is the shortest time between two forced collections. A collection of 64 MiB takes about 25 ms of CPU time.
	collectInterval = 100 * time.Millisecond
)

// check returns an error if the next part of a body must not be read. Before it returns an error, it looks which memory is in use, and
// closes the connections of requests that wait for their callers.
func (m *memory) check(b *body) error {
	limit := m.limitFor(b.bytes)
	if m.heapBytes() <= limit {
		return nil
	}
	alone := b.large && m.large.Load() == 1 && m.countSmall() == 0 // others may have left after the collection
	b.pause()
	m.collectAgain()
	b.collections++
	switch {
	case b.collections <= maxCollections && (m.liveBytes() <= limit || b.connection.endTransfers()):
		return nil
	case alone: // a retry would fail too, and Metacontroller creates no Event for a 429
		return errNoMemory
	}
	return errBusy
}

// limitFor returns the limit for a body of which so many bytes have been read.
func (m *memory) limitFor(bytes int64) int64 {
	return m.maxBytes + m.maxBytes/2*max(0, reserveBytes-bytes)/reserveBytes
}

// collectAgain returns after a collection that has begun after the call. Calls during collectInterval share one.
func (m *memory) collectAgain() {
	called := time.Now()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.began.After(called) {
		return
	}
	time.Sleep(collectInterval - time.Since(m.began))
	m.began = time.Now()
	m.collect()
}

func readMetric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// retryAfter returns the Retry-After in seconds of a 429 that has none yet. It is at least 1, because Metacontroller retries immediately after
// a 0, and random up to 3, so that refused callers do not return at the same time.
func retryAfter() int { return 1 + rand.IntN(3) }
