package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"github.com/example/memcached-operator/webhook/composite"
)

// checkHeader refuses content types and encodings that Metacontroller never sends.
func checkHeader(header http.Header) error {
	contentType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || contentType != "application/json" {
		return &httpError{http.StatusUnsupportedMediaType, fmt.Sprintf("a hook accepts application/json, not %q", composite.Shorten(header.Get("Content-Type")))}
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return &httpError{http.StatusUnsupportedMediaType, fmt.Sprintf("a hook accepts an uncompressed body, not %q", composite.Shorten(encoding))}
	}
	return nil
}

// countingReader counts the bytes that are read.
type countingReader struct {
	reader io.Reader
	bytes  int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	c.bytes += int64(n)
	return n, err
}

// The hook waits for a body at most bodyGrace, and a second more for each minBodyRate bytes that have arrived, but never longer than
// until readTimeout after the start of the request. Metacontroller sends a body without pauses.
const (
	bodyGrace   = 2 * time.Second
	minBodyRate = 256 << 10
)

// waitStep is how long one attempt to read waits. A hook without CPU time misses the deadline of an attempt although the bytes have
// arrived: the next attempt finds them.
const waitStep = 250 * time.Millisecond

// timedBody ends a body that arrives too slowly. Only the time in which the hook waits for bytes counts, because a busy hook reads
// slowly, too. Each attempt counts at most its step.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
	start      time.Time
	step       time.Duration
	bytes      int64
	waited     time.Duration
}

func newTimedBody(w http.ResponseWriter, r *http.Request, start time.Time) *timedBody {
	step := waitStep
	if r.ContentLength < 0 {
		step = readTimeout // the reader of a chunked body fails for ever after its first timeout
	}
	return &timedBody{ReadCloser: r.Body, connection: http.NewResponseController(w), start: start, step: step}
}

func (b *timedBody) Read(p []byte) (int, error) {
	for {
		left := bodyGrace + time.Duration(b.bytes/minBodyRate)*time.Second - b.waited
		n, err := b.attempt(p, min(left, b.step))
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && left > b.step && time.Since(b.start) < readTimeout {
			continue
		}
		if errors.Is(err, io.EOF) {
			b.setDeadline(b.start.Add(readTimeout)) // net/http keeps reading to notice that the caller is gone
		}
		return n, err
	}
}

// attempt reads what arrives within a time.
func (b *timedBody) attempt(p []byte, wait time.Duration) (int, error) {
	began, end := time.Now(), b.start.Add(readTimeout)
	if latest := began.Add(wait); latest.Before(end) {
		end = latest
	}
	b.setDeadline(end)
	n, err := b.ReadCloser.Read(p)
	b.waited += min(time.Since(began), b.step)
	b.bytes += int64(n)
	return n, err
}

func (b *timedBody) setDeadline(end time.Time) {
	_ = b.connection.SetReadDeadline(end) // httptest has no deadlines
}

// checkHeapEvery is the number of bytes that are read between two checks of the heap. The objects of a body need up to 80
// times its size, if they are empty. A check takes about 1 µs.
const checkHeapEvery = 64 << 10

// guardedReader reads as long as there is memory.
type guardedReader struct {
	reader    io.Reader
	guard     *heapGuard
	unchecked int // bytes until the next check
}

func (g *guardedReader) Read(p []byte) (int, error) {
	if g.unchecked <= 0 {
		if err := g.guard.check(); err != nil {
			return 0, err
		}
		g.unchecked = checkHeapEvery
	}
	n, err := g.reader.Read(p)
	g.unchecked -= n
	return n, err
}

// maxDiscardBytes is the number of bytes that net/http discards, too.
const maxDiscardBytes = 256 << 10

// discard reads the rest of a refused body. Otherwise the caller may see a connection reset instead of the response, because
// closing a connection with unread data resets it. net/http discards only if neither side closes the connection. Above the
// limit MaxBytesReader delays the close.
func discard(w http.ResponseWriter, body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, body, maxDiscardBytes)) // an error changes nothing
}
