package webhook

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
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

// timedBody ends a body that arrives too slowly. Only the time in which the hook waits for bytes counts, because a busy hook reads
// slowly, too.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
	start      time.Time
	bytes      int64
	waited     time.Duration
}

func (b *timedBody) Read(p []byte) (int, error) {
	began, end := time.Now(), b.start.Add(readTimeout)
	left := bodyGrace + time.Duration(b.bytes/minBodyRate)*time.Second - b.waited
	if latest := began.Add(left); latest.Before(end) {
		end = latest
	}
	b.setDeadline(end)
	n, err := b.ReadCloser.Read(p)
	b.waited += time.Since(began)
	b.bytes += int64(n)
	if errors.Is(err, io.EOF) {
		b.setDeadline(b.start.Add(readTimeout)) // net/http keeps reading to notice that the caller is gone
	}
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
