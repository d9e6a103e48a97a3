package webhook

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/example/memcached-operator/webhook/composite"
)

// mediaTypeError says that a request has a content type or encoding that hooks do not take.
type mediaTypeError struct{ sentence string }

func (e *mediaTypeError) Error() string { return e.sentence }

// routeError says that there is no hook behind a URL, or not by that method.
type routeError struct {
	code     int
	sentence string
}

func (e *routeError) Error() string { return e.sentence }

// panicError is a defect of a hook, with where it happened.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.cause) }

// classify is the one table of errors. Metacontroller prints the sentence as an Event on the parent, where its author
// reads it; the detail of a defect is for the log alone. Any code but 200 changes nothing in the cluster.
func classify(err error) (code int, sentence string) {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge, fmt.Sprintf("request body is larger than %d bytes", tooLarge.Limit)
	}
	if tooLarge, ok := errors.AsType[*composite.TokenError](err); ok {
		return http.StatusRequestEntityTooLarge, tooLarge.Error()
	}
	if tooLarge, ok := errors.AsType[*memoryError](err); ok {
		return http.StatusRequestEntityTooLarge, tooLarge.Error()
	}
	if refused, ok := errors.AsType[*callerError](err); ok {
		return refused.code, refused.sentence
	}
	if busy, ok := errors.AsType[*busyError](err); ok {
		return http.StatusTooManyRequests, busy.Error()
	}
	if refused, ok := errors.AsType[*routeError](err); ok {
		return refused.code, refused.sentence
	}
	if _, ok := errors.AsType[*mediaTypeError](err); ok {
		return http.StatusUnsupportedMediaType, err.Error()
	}
	if _, ok := errors.AsType[*composite.ParentError](err); ok {
		return http.StatusUnprocessableEntity, err.Error()
	}
	if _, ok := errors.AsType[*composite.RequestError](err); ok {
		return http.StatusBadRequest, err.Error()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return http.StatusRequestTimeout, "request body did not arrive in time"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return http.StatusBadRequest, "request body ends before its announced length"
	}
	if unread, ok := errors.AsType[*composite.ReadError](err); ok {
		return http.StatusBadRequest, fmt.Sprintf("request body could not be read: %v", unread.Err)
	}
	return http.StatusInternalServerError, "the hook has a defect; its log has the detail"
}

func refuse(w http.ResponseWriter, code int, sentence string) {
	switch code {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter()))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, sentence+"\n") // a client that is gone needs no answer
}
