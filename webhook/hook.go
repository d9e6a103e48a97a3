package webhook

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
)

// maxDiscardBytes is how much is read of a body that was refused, as much as net/http reads of one.
const maxDiscardBytes = 256 << 10

// hook turns one HTTP request into one call of a composite hook, and its answer into one HTTP response.
type hook struct {
	controller, name string
	handle           composite.Handler
	options          Options
	gate             *gate
	metrics          hookMetrics
}

func newHook(controller, name string, handle composite.Handler, options Options, gate *gate) *hook {
	return &hook{
		controller: controller,
		name:       name,
		handle:     handle,
		options:    options,
		gate:       gate,
		metrics:    options.Metrics.forHook(controller, name),
	}
}

// newMissing answers where there is no hook, as a hook that refuses every request. Its labels are none, not what the
// caller made up.
func newMissing(options Options, refusal func(*http.Request) error) http.HandlerFunc {
	authorize := options.Authorize
	options.Authorize = func(r *http.Request) error {
		if err := authorize(r); err != nil {
			return err
		}
		return refusal(r)
	}
	return newHook("none", "none", nil, options, nil).ServeHTTP
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	h.metrics.inFlight.Inc()
	defer h.metrics.inFlight.Dec()

	body := &countingReader{reader: http.MaxBytesReader(w, r.Body, h.options.MaxBodyBytes)}
	response, err := h.answer(r, body)
	code, sentence := http.StatusOK, ""
	if err != nil {
		code, sentence = classify(err)
		refuse(w, code, sentence)
		defer discard(w, r.Body)
	} else {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(response.Body))) // otherwise a long one goes in chunks
		_, err = w.Write(response.Body)
	}
	took := time.Since(start)
	h.metrics.observe(code, body.bytes, took)
	h.log(r, response.Parent, code, err, took)
}

// discard reads the rest of a body that was refused, so that its caller gets to read why: a connection that is closed
// with something unread in it is reset, and its caller sees that instead. net/http does so where the connection is
// kept, but not where either side closes it. A body beyond the limit has MaxBytesReader make the connection linger.
func discard(w http.ResponseWriter, body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, body, maxDiscardBytes)) // what does not come is not missed
}

// answer calls the composite hook. A panic becomes an error: it says nothing about the cluster, so nothing may change.
func (h *hook) answer(r *http.Request, body io.Reader) (response composite.Response, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{cause: cause, stack: debug.Stack()}
		}
	}()
	if err := h.options.Authorize(r); err != nil {
		return response, err
	}
	if err := checkHeaders(r.Header); err != nil {
		return response, err
	}
	bytes, err := bodyBytes(r, h.options.MaxBodyBytes)
	if err != nil {
		return response, err
	}
	leave, err := h.gate.enter(bytes)
	if err != nil {
		return response, err
	}
	defer leave()
	return h.handle(&guardedBody{body: body, gate: h.gate}, metav1.NewTime(h.options.Now()))
}

// checkHeaders refuses what Metacontroller never sends, before the body is read.
func checkHeaders(header http.Header) error {
	contentType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || contentType != "application/json" {
		return &mediaTypeError{fmt.Sprintf("a hook takes application/json, not %q", header.Get("Content-Type"))}
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return &mediaTypeError{fmt.Sprintf("a hook takes an uncompressed body, not %q", encoding)}
	}
	return nil
}
