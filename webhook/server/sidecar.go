package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// The limits of a sidecar, whose container has 64 MiB. It serves the kubelet or a few Prometheus servers.
const (
	maxSidecarConnections = 512
	sidecarIdleTimeout    = 10 * time.Second
	sidecarHeaderBytes    = 4 << 10
)

// ServeSidecar serves small requests until the context ends.
func ServeSidecar(ctx context.Context, address string, handler http.Handler, logger *slog.Logger) error {
	server := newServer(keepWorking(handler), logger)
	server.ReadTimeout, server.WriteTimeout = 0, 0 // the kubelet waits for minutes until a hold ends
	server.IdleTimeout, server.MaxHeaderBytes = sidecarIdleTimeout, sidecarHeaderBytes
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

// keepWorking lets no other connection replace one whose request is handled. Anybody can send such a request, so afterwards the connection
// does not count as idle: idle ones would stay, and let each new one wait for minWait. A request with a body is refused, because the server would
// wait for the body, and the handler for the server.
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
