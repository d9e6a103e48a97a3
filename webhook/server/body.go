package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
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

// body is the body of an authorized request. It counts its bytes, and reads them as long as there is memory.
type body struct {
	io.ReadCloser
	connection  *connection
	deadlines   *http.ResponseController
	memory      *memory
	start       time.Time
	bytes       int64
	checkAt     int64           // the number of bytes at which memory is checked
	waited      time.Duration   // for others
	length      int64           // of the whole body; -1 if it is unknown
	collections int             // forced for this body
	immediate   bool            // waits for no other request
	large       bool            // counts in memory.large
	whole       *bytes.Reader   // a small body that has arrived
	namespace   *namespace      // of the parent; nil before Wait
	places      []chan struct{} // that the request has until its response begins
}

// Read returns the next part of the body. The objects of a small body are built once all of it has arrived, because each connection can have one whose
// caller stalls, and its objects take up to 80 times its size.
func (b *body) Read(p []byte) (n int, err error) {
	if !b.immediate && b.isSmall() {
		return b.readSmall(p)
	}
	if !b.large && !b.isSmall() {
		b.large = true
		b.memory.large.Add(1)
	}
	if !b.immediate && b.bytes >= smallBytes { // without a namespace until here, it waits for all others of this kind
		if err := b.Wait(""); err != nil {
			return 0, err
		}
	}
	return b.receive(p)
}

func (b *body) isSmall() bool { return b.length >= 0 && b.length <= smallBytes }

func (b *body) readSmall(p []byte) (int, error) {
	if b.whole == nil {
		content, err := io.ReadAll(readerFunc(b.receive))
		if err != nil {
			return 0, err
		}
		b.whole = bytes.NewReader(content)
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
	for range 2 { // a hook without CPU time may miss the first deadline, although bytes have arrived
		wait := min(bodyTimeout, readTimeout-time.Since(b.start))
		_ = b.deadlines.SetReadDeadline(time.Now().Add(wait)) // httptest has no deadlines
		if n, err = b.ReadCloser.Read(p); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	b.connection.enter(working) // a request that waits for its turn does not wait for its caller
	b.bytes += int64(n)
	return n, err
}

// Wait waits until the request may build its objects and run its rules: when no other request of the namespace does, and few of all namespaces. Large
// requests also take turns. Meanwhile, the caller of a large request sends no more than what buffers hold.
func (b *body) Wait(namespace string) error {
	if b.namespace != nil {
		return nil
	}
	if b.namespace = b.memory.enter(namespace); b.namespace == nil {
		return errBusy
	}
	own := b.namespace.large
	if b.isSmall() {
		own = b.namespace.small
	}
	if err := b.take(own, maxOwnWait); err != nil {
		return err
	}
	b.memory.start(b.namespace)
	for _, place := range b.memory.placesFor(b) {
		if err := b.take(place, maxWait-b.waited); err != nil {
			return err
		}
	}
	return nil
}

// take waits for a place.
func (b *body) take(place chan struct{}, wait time.Duration) error {
	select {
	case place <- struct{}{}:
		b.places = append(b.places, place)
		return nil
	default:
	}
	if wait <= 0 { // in testing/synctest, a timer that has no duration crashes the race detector, see golang/go#78156
		return errBusy
	}
	began := time.Now()
	defer func() {
		took := time.Since(began)
		b.waited += took
		b.start = b.start.Add(took) // the caller has not caused the wait
	}()
	select {
	case place <- struct{}{}:
		b.places = append(b.places, place)
		return nil
	case <-time.After(wait):
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
	started := len(b.places) > 0
	for _, place := range b.places {
		<-place
	}
	if b.places = nil; b.namespace != nil {
		b.memory.leave(b.namespace, started)
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
	if b.large {
		b.memory.large.Add(-1)
	}
}
