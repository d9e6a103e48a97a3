package webhook

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"k8s.io/apimachinery/pkg/types"
)

// log writes the one line that a request gets: who was asked about and what came of it, never what an object holds.
func (h *hook) log(r *http.Request, parent types.NamespacedName, code int, err error, took time.Duration) {
	level := slog.LevelDebug
	switch {
	case code >= http.StatusInternalServerError:
		level = slog.LevelError
	case err != nil:
		level = slog.LevelInfo
	}
	if !h.options.Logger.Enabled(r.Context(), level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("controller", h.controller),
		slog.String("hook", h.name),
		slog.Int("code", code),
		slog.Float64("seconds", took.Seconds()),
		slog.String("request", middleware.GetReqID(r.Context())),
	}
	if parent.Name != "" {
		attributes = append(attributes, slog.String("parent", parent.String()))
	}
	if err != nil {
		attributes = append(attributes, slog.String("caller", r.RemoteAddr), slog.String("error", err.Error()))
	}
	if panicked, ok := errors.AsType[*panicError](err); ok {
		attributes = append(attributes, slog.String("stack", string(panicked.stack)))
	}
	h.options.Logger.LogAttrs(r.Context(), level, "hook", attributes...)
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
