package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/webhook/composite"
)

// hook turns one HTTP request into one call of a composite hook, and its answer into one HTTP response.
type hook struct {
	controller, name string
	handle           composite.Handler
	options          Options
	metrics          hookMetrics
}

func newHook(controller, name string, handle composite.Handler, options Options) *hook {
	return &hook{
		controller: controller,
		name:       name,
		handle:     handle,
		options:    options,
		metrics:    options.Metrics.forHook(controller, name),
	}
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
	} else {
		w.Header().Set("Content-Type", "application/json")
		_, err = w.Write(response.Body)
	}
	took := time.Since(start)
	h.metrics.observe(code, body.bytes, took)
	h.log(r.Context(), response.Parent, code, err, took)
}

// answer calls the composite hook. A panic becomes an error: it says nothing about the cluster, so nothing may change.
func (h *hook) answer(r *http.Request, body io.Reader) (response composite.Response, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{cause: cause, stack: debug.Stack()}
		}
	}()
	if err := checkHeaders(r.Header); err != nil {
		return response, err
	}
	return h.handle(body, metav1.NewTime(h.options.Now()))
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

func (h *hook) log(ctx context.Context, parent types.NamespacedName, code int, err error, took time.Duration) {
	level := slog.LevelDebug
	switch {
	case code >= http.StatusInternalServerError:
		level = slog.LevelError
	case err != nil:
		level = slog.LevelInfo
	}
	if !h.options.Logger.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("controller", h.controller),
		slog.String("hook", h.name),
		slog.String("parent", parent.String()),
		slog.Int("code", code),
		slog.Float64("seconds", took.Seconds()),
		slog.String("request", middleware.GetReqID(ctx)),
	}
	if err != nil {
		attributes = append(attributes, slog.String("error", err.Error()))
	}
	if panicked, ok := errors.AsType[*panicError](err); ok {
		attributes = append(attributes, slog.String("stack", string(panicked.stack)))
	}
	h.options.Logger.LogAttrs(ctx, level, "hook", attributes...)
}

// countingReader counts the bytes that were read.
type countingReader struct {
	reader io.Reader
	bytes  int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	c.bytes += int64(n)
	return n, err
}
