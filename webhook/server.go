// Package webhook serves the hooks of composite controllers over HTTP, as Metacontroller calls them.
package webhook

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/example/memcached-operator/webhook/composite"
)

// DefaultMaxBodyBytes is the largest request body that is read. A pod with its managedFields is some 8 kB, so it has
// room for a parent of several thousand pods.
const DefaultMaxBodyBytes = 64 << 20

// Options are what a handler needs from outside. The zero value of each field is a sensible default.
type Options struct {
	// Controllers are those that are served.
	Controllers []composite.Controller
	// Logger receives a line for each request: debug for an answer, info for a refusal, error for a defect.
	Logger *slog.Logger
	// Metrics count and time the requests.
	Metrics *Metrics
	// Now is the clock.
	Now func() time.Time
	// Authorize refuses a caller by an error; by default nobody is refused.
	Authorize func(*http.Request) error
	// MaxBodyBytes bounds a request's body; a larger one is refused with 413.
	MaxBodyBytes int64
	// MaxInFlight and MaxInFlightBytes bound the requests that are in work at once and the sum of their bodies; those
	// beyond are refused with 429.
	MaxInFlight      int
	MaxInFlightBytes int64
	// MaxHeapBytes bounds the memory of the process, beyond which no more is read of any request.
	MaxHeapBytes int64
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics("")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxBodyBytes == 0 {
		o.MaxBodyBytes = DefaultMaxBodyBytes
	}
	if o.Authorize == nil {
		o.Authorize = func(*http.Request) error { return nil }
	}
	if o.MaxInFlight == 0 {
		o.MaxInFlight = DefaultMaxInFlight
	}
	if o.MaxInFlightBytes == 0 {
		o.MaxInFlightBytes = DefaultMaxInFlightBytes
	}
	if o.MaxHeapBytes == 0 {
		o.MaxHeapBytes = DefaultMaxHeapBytes
	}
	return o
}

// NewHandler serves every hook at POST /<controller>/<hook>.
func NewHandler(options Options) http.Handler {
	options = options.withDefaults()
	router := chi.NewRouter()
	router.Use(middleware.RequestID, echoRequestID)
	router.NotFound(newMissing(options, func(r *http.Request) error {
		return &routeError{http.StatusNotFound, fmt.Sprintf("there is no hook at %.200q", r.URL.Path)}
	}))
	router.MethodNotAllowed(newMissing(options, func(r *http.Request) error {
		return &routeError{http.StatusMethodNotAllowed, fmt.Sprintf("a hook takes POST, not %.20q", r.Method)}
	}))
	gate := newGate(options)
	for _, controller := range options.Controllers {
		for name, handle := range controller.Handlers() {
			router.Method(http.MethodPost, "/"+controller.Name+"/"+name, newHook(controller.Name, name, handle, options, gate))
		}
	}
	return router
}

// echoRequestID tells the caller the id under which the log has its request.
func echoRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(middleware.RequestIDHeader, middleware.GetReqID(r.Context()))
		next.ServeHTTP(w, r)
	})
}
