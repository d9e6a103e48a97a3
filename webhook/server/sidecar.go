package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// maxSidecarConnections is the number of connections of a sidecar, whose container has 64 MiB. It serves the kubelet or a few Prometheus servers.
const maxSidecarConnections = 64

// ServeSidecar serves small requests until the context ends.
func ServeSidecar(ctx context.Context, address string, handler http.Handler, logger *slog.Logger) error {
	server := newOpenServer(handler, logger)
	server.ReadTimeout, server.WriteTimeout = 0, 0 // the kubelet waits for minutes until a hold ends
	listener, err := listen(ctx, server, address, maxSidecarConnections)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := serve(server, listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newOpenServer returns a server for requests of anybody. A connection is for one request: idle ones would stay, and let each new one wait for
// minWait, and thousands of requests over each connection would delay the kubelet.
func newOpenServer(handler http.Handler, logger *slog.Logger) *http.Server {
	server := newServer(keepWorking(handler), logger)
	server.SetKeepAlivesEnabled(false)
	return server
}

// keepWorking lets no other connection replace one whose request is handled. A request with a body is refused, because the server would wait for
// the body, and the handler for the server.
func keepWorking(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now())
			(&httpError{http.StatusRequestEntityTooLarge, "the request must have no body"}).write(w)
			return
		}
		connection := connectionOf(r)
		connection.enter(working)
		defer connection.enter(transferring)
		next.ServeHTTP(w, r)
	})
}
