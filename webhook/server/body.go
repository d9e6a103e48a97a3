package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/example/memcached-operator/webhook/text"
)

// checkHeader refuses content types and encodings that Metacontroller never sends.
func checkHeader(header http.Header) error {
	contentType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || contentType != "application/json" {
		return &httpError{http.StatusUnsupportedMediaType, fmt.Sprintf("the hook accepts application/json, not %q", text.Value(header.Get("Content-Type")))}
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return &httpError{http.StatusUnsupportedMediaType, fmt.Sprintf("the hook accepts an uncompressed body, not %q", text.Value(encoding))}
	}
	return nil
}

// bodyTimeout limits each wait for more bytes of a body, and readTimeout the sum. Metacontroller sends a body without pauses.
const bodyTimeout = 2 * time.Second

// prompt is how long a request keeps its CPU while the next part of its body arrives. If others ran meanwhile, each part of a large body would wait for a
// whole one of them.
const prompt = 10 * time.Millisecond

// body is the body of an authorized request. It counts its bytes, and reads them as long as there is memory.
type body struct {
	io.ReadCloser
	connection  *connection
	deadlines   *http.ResponseController
	memory      *memory
	start       time.Time
	bytes       int64
	checkAt     int64         // the number of bytes at which memory is checked
	waited      time.Duration // for others
	length      int64         // of the whole body; -1 if it is unknown
	collections int           // forced for this body
	immediate   bool          // waits for no other request
	large       bool          // counts in memory.large
	whole       *bytes.Buffer // a small body that has arrived
	request     *request      // in the queue; nil before Wait
	paused      bool          // while others run
	refused     bool          // waits for no other decision
}

// Read returns the next part of the body. It lets other requests run whose namespaces have used less, and any while it waits for its caller or for memory.
func (b *body) Read(p []byte) (n int, err error) {
	if b.refused { // a decoder may read again after an error
		return 0, errBusy
	}
	if !b.immediate && !b.isSmall() && b.bytes >= smallBytes { // without a namespace until here, it waits for all others of this kind
		if err := b.Wait(""); err != nil {
			return 0, err
		}
	}
	if b.request != nil {
		if err := b.yield(); err != nil {
			return 0, err
		}
	}
	n, err = b.read(p)
	if b.paused && (err == nil || err == io.EOF) { //nolint:errorlint // io.Reader requires io.EOF itself
		if err := b.yield(); err != nil {
			return 0, err
		}
	}
	return n, err
}

func (b *body) read(p []byte) (int, error) {
	if !b.immediate && b.isSmall() {
		return b.readSmall(p)
	}
	if !b.large && !b.isSmall() {
		b.large = true
		b.memory.large.Add(1)
	}
	return b.receive(p)
}

func (b *body) isSmall() bool { return b.length >= 0 && b.length <= smallBytes }

// buffers are used again for other small bodies. Without that, the garbage of hundreds of refused requests a second costs a third of the CPU time.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readSmall returns the next part of a small body once all of it has arrived, because each connection can have one whose caller stalls, and its objects
// take up to 80 times its size.
func (b *body) readSmall(p []byte) (int, error) {
	if b.whole == nil {
		whole := buffers.Get().(*bytes.Buffer)
		whole.Reset()
		whole.Grow(int(b.length) + bytes.MinRead)
		if _, err := whole.ReadFrom(readerFunc(b.receive)); err != nil {
			buffers.Put(whole)
			return 0, err
		}
		b.whole = whole
	}
	if err := b.memory.check(b); err != nil {
		return 0, err
	}
	return b.whole.Read(p[:min(len(p), checkSmallEvery)])
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// receive waits for the next part of the body, if there is memory.
func (b *body) receive(p []byte) (n int, err error) {
	if b.bytes >= b.checkAt {
		if err := b.memory.check(b); err != nil {
			return 0, err
		}
		b.checkAt = b.bytes + checkEvery
	}
	p = p[:min(int64(len(p)), b.checkAt-b.bytes)]
	b.connection.enter(transferring)
	waits := []time.Duration{prompt, bodyTimeout, bodyTimeout} // a hook without CPU time may miss a deadline, although bytes have arrived
	if b.request == nil {
		waits = waits[1:]
	}
	for _, wait := range waits {
		wait = min(wait, readTimeout-time.Since(b.start))
		_ = b.deadlines.SetReadDeadline(time.Now().Add(wait)) // httptest has no deadlines
		if n, err = b.ReadCloser.Read(p); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		b.pause()
	}
	b.connection.enter(working) // a request that waits for its turn does not wait for its caller
	b.bytes += int64(n)
	return n, err
}

// pause lets other requests run until the next yield.
func (b *body) pause() {
	if b.request != nil && !b.paused {
		b.paused = true
		b.memory.pause(b.request)
	}
}

// yield returns when the request runs again. Before it, requests run whose namespaces have used less.
func (b *body) yield() error {
	b.paused = false
	b.memory.yield(b.request)
	return b.wait()
}

// Wait waits until the request may build its objects and run its rules. Meanwhile, the caller of a large request sends no more than what buffers hold.
func (b *body) Wait(namespace string) error {
	if b.request != nil {
		return nil
	}
	b.request = b.memory.enter(namespace, b.length)
	return b.wait()
}

// wait returns when the request runs.
func (b *body) wait() (err error) {
	defer func() { b.refused = err != nil }()
	select {
	case err := <-b.request.decision:
		return err
	default:
	}
	began := time.Now()
	defer func() {
		took := time.Since(began)
		b.waited += took
		b.start = b.start.Add(took) // the caller has not caused the wait
	}()
	if b.waited >= maxWait { // in testing/synctest, a timer that has no duration crashes the race detector, see golang/go#78156
		return errBusy
	}
	select {
	case err := <-b.request.decision:
		return err
	case <-time.After(maxWait - b.waited):
		return errBusy
	}
}

// The reader of a response has writeGrace, and a second more for each minWriteRate bytes. The time is long because a hook whose CPU 30 callers keep busy
// may not write for two seconds, and a deadline that has passed ends a write that nothing blocks. A refused caller has discardTimeout to send the
// rest of its body, which net/http discards, so that the caller gets the response instead of a reset connection.
const (
	writeGrace     = 10 * time.Second
	minWriteRate   = 4 << 20
	discardTimeout = 500 * time.Millisecond
)

// beginResponse lets another request run, and sets the time that the caller has for a response, and for the rest of its body if it is refused.
func (b *body) beginResponse(size int, refused bool) {
	if b.request != nil {
		b.memory.leave(b.request, b.bytes)
	}
	b.connection.enter(transferring)
	now := time.Now()
	_ = b.deadlines.SetWriteDeadline(now.Add(writeGrace + time.Duration(size/minWriteRate)*time.Second))
	if refused {
		_ = b.deadlines.SetReadDeadline(now.Add(discardTimeout))
	}
}

// done ends the request: its response is written.
func (b *body) done() {
	if b.whole != nil {
		buffers.Put(b.whole)
	}
	if b.large {
		b.memory.large.Add(-1)
	}
}
