package server

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/text"
)

// httpError is an error with its HTTP status code. The message is one sentence, which Metacontroller copies into an Event on
// the parent.
type httpError struct {
	code    int
	message string
}

func (e *httpError) Error() string { return e.message }

// panicError is a panic of a hook.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.cause) }

// maxMessageBytes is the maximum length of an error in a response or in the log. Values from a request are shorter still.
const maxMessageBytes = 1000

func shortenMessage(message string) string { return text.Printable(message, maxMessageBytes) }

// toHTTPError returns the status code and the message for an error. Any code but 200 changes nothing in the cluster. The
// message of a defect has no detail, which belongs in the log only.
func toHTTPError(err error) *httpError {
	if refused, ok := errors.AsType[*httpError](err); ok {
		return refused
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &httpError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request body is larger than %d bytes", tooLarge.Limit)}
	}
	if tokenError, ok := errors.AsType[*composite.TokenError](err); ok {
		return &httpError{http.StatusRequestEntityTooLarge, tokenError.Error()}
	}
	if _, ok := errors.AsType[*composite.RetryError](err); ok {
		return &httpError{http.StatusTooManyRequests, err.Error()}
	}
	if _, ok := errors.AsType[*composite.ParentError](err); ok {
		return &httpError{http.StatusUnprocessableEntity, err.Error()}
	}
	if _, ok := errors.AsType[*composite.RequestError](err); ok {
		return &httpError{http.StatusBadRequest, err.Error()}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &httpError{http.StatusRequestTimeout, "the request body did not arrive in time"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &httpError{http.StatusBadRequest, "the request body is shorter than its Content-Length"}
	}
	if readError, ok := errors.AsType[*composite.ReadError](err); ok {
		return &httpError{http.StatusBadRequest, fmt.Sprintf("the request body could not be read: %v", readError.Err)}
	}
	return &httpError{http.StatusInternalServerError, "the hook has a bug. See its log for details"}
}

// isStranger reports whether a request with a status code has no credentials, or is not for a hook.
func isStranger(code int) bool {
	return code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusNotFound || code == http.StatusMethodNotAllowed
}

// setRetryAfter sets the time that a hook or the queue has chosen. It is rounded up, because Metacontroller retries immediately after a 0.
func setRetryAfter(header http.Header, err error) {
	if later, ok := errors.AsType[*composite.RetryError](err); ok {
		header.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(later.After.Seconds())))))
	}
}

// write writes the error as a response in plain text.
func (e *httpError) write(w http.ResponseWriter) {
	if isStranger(e.code) { // thousands of requests over each connection would delay others
		w.Header().Set("Connection", "close")
	}
	switch e.code {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusTooManyRequests:
		if w.Header().Get("Retry-After") != "" {
			break // chosen already
		}
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter()))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(e.code)
	_, _ = io.WriteString(w, shortenMessage(e.message)+"\n") // the client may be gone
}
