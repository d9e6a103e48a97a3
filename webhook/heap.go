package webhook

import (
	"io"
	"net/http"
	"runtime"
	"runtime/metrics"
	"sync"
)

// DefaultMaxHeapBytes leaves room below the pod's limit of 256 MiB for what a decoder may add at once when it doubles
// a slice or a map.
const DefaultMaxHeapBytes = 80 << 20

// checkEvery is how many bytes of a body are read between two looks at the heap. Of all bodies those of empty objects
// grow most, some 80 times; a look takes a microsecond.
const checkEvery = 64 << 10

// memoryError says that a request alone takes more memory than there is.
type memoryError struct{}

func (*memoryError) Error() string {
	return "the request takes more memory to read than the hook may use"
}

// heap bounds the memory of the process. The length of a body says little about what it is decoded to, so what counts
// is what the runtime has allocated.
type heap struct {
	limit int64
	mutex sync.Mutex
}

// full reports whether there is no memory left to read more of any request. It collects the garbage to find out, and
// says yes when more than half of the limit was none: otherwise it would soon have to collect again.
func (h *heap) full() bool {
	if heapBytes() <= h.limit {
		return false
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if heapBytes() <= h.limit { // another one has just collected
		return false
	}
	runtime.GC()
	return heapBytes() > h.limit/2
}

// heapBytes is the size of all objects, those included that are garbage and not yet collected.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// guardedBody is a body that is read as long as there is memory.
type guardedBody struct {
	body      io.Reader
	gate      *gate
	unchecked int
}

func (b *guardedBody) Read(p []byte) (int, error) {
	if b.unchecked <= 0 {
		if b.gate.heap.full() {
			return 0, b.gate.refusal()
		}
		b.unchecked = checkEvery
	}
	n, err := b.body.Read(p)
	b.unchecked -= n
	return n, err
}

// refusal is for a request that there is no memory for: if it is the only one, waiting will not help it, and its parent
// gets an Event; a caller who is told to come back never says anything.
func (g *gate) refusal() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.inWork > 1 {
		return &busyError{}
	}
	return &memoryError{}
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
