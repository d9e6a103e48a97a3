// Package server serves the hooks of composite controllers over HTTP for Metacontroller.
package server

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/text"
)

// Options configure a handler. Each zero field means a default.
type Options struct {
	// Controllers are the controllers whose hooks are served.
	Controllers []composite.Controller
	// Logger receives one line for each request: level debug for a success, info for a refusal, error for a defect.
	Logger *slog.Logger
	// Metrics count and time the requests.
	Metrics *Metrics
	// Now returns the current time.
	Now func() time.Time
	// Authorize returns an error to refuse a request. The default accepts all requests.
	Authorize func(*http.Request) error
	Limits
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
	if o.Authorize == nil {
		o.Authorize = func(*http.Request) error { return nil }
	}
	o.Limits = o.Limits.withDefaults()
	return o
}

// NewHandler returns a handler that serves every hook at POST /<controller>/<hook>.
func NewHandler(options Options) http.Handler {
	options = options.withDefaults()
	h := &handler{options: options, memory: newMemory(options.MaxHeapBytes)}
	router := chi.NewRouter()
	// The metrics' labels are none, because a caller can send any number of different URLs and methods.
	router.NotFound(h.endpoint("none", "none", refuseURL).ServeHTTP)
	router.MethodNotAllowed(h.endpoint("none", "none", refuseMethod).ServeHTTP)
	for _, controller := range options.Controllers {
		for name, hook := range map[string]composite.Hook{
			"sync":     controller.Sync,
			"finalize": controller.Finalize,
			customize:  controller.Customize,
		} {
			if !hook.IsZero() {
				respond := callHook(hook, controller.Parent, options)
				router.Method(http.MethodPost, "/"+controller.Name+"/"+name, h.endpoint(controller.Name, name, respond))
			}
		}
	}
	return router
}

// customize is the name of the hook whose requests have no children and no related objects.
const customize = "customize"

// responder returns the response to an authorized request, or an error that [toHTTPError] maps to a status code.
type responder func(r *http.Request, body io.Reader) (composite.Response, error)

// limitedBody is a [body] whose Read returns an error after MaxBodyBytes.
type limitedBody struct {
	io.Reader
	composite.Waiter
}

func refuseURL(r *http.Request, _ io.Reader) (composite.Response, error) {
	return composite.Response{}, &httpError{http.StatusNotFound, fmt.Sprintf("there is no hook at %q", text.Value(r.URL.Path))}
}

func refuseMethod(r *http.Request, _ io.Reader) (composite.Response, error) {
	return composite.Response{}, &httpError{http.StatusMethodNotAllowed, fmt.Sprintf("the hook accepts the method POST, not %.20q", r.Method)}
}

func callHook(hook composite.Hook, kind schema.GroupVersionKind, options Options) responder {
	return func(r *http.Request, body io.Reader) (composite.Response, error) {
		if err := checkHeader(r.Header); err != nil {
			return composite.Response{}, err
		}
		if r.ContentLength > options.MaxBodyBytes {
			return composite.Response{}, &http.MaxBytesError{Limit: options.MaxBodyBytes}
		}
		return hook.Handle(kind, body, metav1.NewTime(options.Now()))
	}
}

// handler is what all endpoints share.
type handler struct {
	options Options
	memory  *memory
	// logged limits the lines of refused requests, and strangerLogged those of requests without credentials or a hook.
	logged, strangerLogged quota
}

// maxLines is the number of refused requests that are logged in a second. Metrics count all of them.
const maxLines = 10

// quota counts what has happened in the current second.
type quota struct {
	mutex  sync.Mutex
	second int64
	count  int
}

// take reports whether fewer than limit takes were successful in this second.
func (q *quota) take(limit int) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if now := time.Now().Unix(); now != q.second {
		q.second, q.count = now, 0
	}
	q.count++
	return q.count <= limit
}

// endpoint authorizes, times, counts and logs the requests of a responder.
type endpoint struct {
	*handler
	controller, hook string
	metrics          hookMetrics
	respond          responder
}

func (h *handler) endpoint(controller, hook string, respond responder) *endpoint {
	return &endpoint{h, controller, hook, h.options.Metrics.forHook(controller, hook), respond}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	e.metrics.inFlight.Inc()
	defer e.metrics.inFlight.Dec()

	read := &body{ReadCloser: r.Body, connection: connectionOf(r), deadlines: http.NewResponseController(w), memory: e.memory, start: start, length: r.ContentLength}
	// For each event of a pod, Metacontroller asks for the related objects of all parents, one after the other, and waits two seconds for each.
	read.immediate = e.hook == customize
	defer read.done()
	response, err := e.handle(r, limitedBody{http.MaxBytesReader(w, read, e.options.MaxBodyBytes), read})
	code := http.StatusOK
	read.beginResponse(len(response.Body), err != nil)
	if err != nil {
		refusal := toHTTPError(err)
		code = refusal.code
		setRetryAfter(w.Header(), err)
		refusal.write(w)
	} else {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(response.Body))) // avoids the chunked encoding of a long body
		_, err = w.Write(response.Body)
	}
	if err == nil || !isStranger(code) && read.bytes == read.length { // otherwise net/http closes it after half a second
		read.connection.enter(idle)
	}
	took := time.Since(start)
	e.metrics.observe(code, read.bytes, took)
	e.log(r, response.Parent, code, read.bytes, err, took)
}

// handle turns a panic into an error, because a panic must change nothing in the cluster.
func (e *endpoint) handle(r *http.Request, body io.Reader) (response composite.Response, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{cause: cause, stack: debug.Stack()}
		}
	}()
	if err := e.options.Authorize(r); err != nil {
		return response, err
	}
	return e.respond(r, body)
}

// level returns the level of a log line. Callers can cause any number of errors, so most of those are for debugging.
func (e *endpoint) level(code int, err error) slog.Level {
	switch {
	case code >= http.StatusInternalServerError:
		return slog.LevelError
	case err == nil, isStranger(code) && !e.strangerLogged.take(1), !e.logged.take(maxLines):
		return slog.LevelDebug
	default:
		return slog.LevelInfo
	}
}

// log writes the log line of a request. The line has the parent's name but never the content of an object.
func (e *endpoint) log(r *http.Request, parent types.NamespacedName, code int, bytes int64, err error, took time.Duration) {
	level := e.level(code, err)
	if !e.options.Logger.Enabled(r.Context(), level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("controller", e.controller),
		slog.String("hook", e.hook),
		slog.Int("code", code),
		slog.Float64("seconds", took.Seconds()),
		slog.Int64("bytes", bytes),
	}
	if parent.Name != "" {
		attributes = append(attributes, slog.String("parent", text.Value(parent.String())))
	}
	if err != nil {
		attributes = append(attributes, slog.String("caller", r.RemoteAddr), slog.String("error", shortenMessage(err.Error())))
	}
	if panicked, ok := errors.AsType[*panicError](err); ok {
		attributes = append(attributes, slog.String("stack", string(panicked.stack)))
	}
	e.options.Logger.LogAttrs(r.Context(), level, "hook", attributes...)
}
