package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// The bounds of one connection. Metacontroller gives up on a request after 10 s by default and closes its idle
// connections after 90 s: were ours shorter, it would now and then send a request into a closing connection.
const (
	readHeaderTimeout = 4 * time.Second
	readTimeout       = 12 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = 120 * time.Second
	maxHeaderBytes    = 64 << 10
)

// Serve listens, serves until the context ends, and drains: readiness fails first, new connections are refused after
// the delay, and requests in flight finish. It returns an error when it cannot listen or requests had to be cut off.
func Serve(ctx context.Context, config Config) error {
	metrics := NewMetrics(config.Version)
	hooks, draining, err := newHookServer(config, metrics)
	if err != nil {
		return fmt.Errorf("starting: %w", err)
	}
	failed := make(chan error, 2)
	listener, err := listen(ctx, config.Address)
	if err != nil {
		return err
	}
	go func() { failed <- serve(hooks, listener) }()
	defer hooks.Close()
	attributes := []any{"address", listener.Addr().String(), "tls", hooks.TLSConfig != nil}

	var ready atomic.Bool
	if config.OpsAddress != "" {
		ops := newServer(newOpsHandler(metrics, &ready), config.Logger)
		opsListener, err := listen(ctx, config.OpsAddress)
		if err != nil {
			return err
		}
		go func() { failed <- serve(ops, opsListener) }()
		defer ops.Close()
		attributes = append(attributes, "ops-address", opsListener.Addr().String())
	}
	ready.Store(true)
	config.Logger.Info("serving hooks", attributes...)

	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	config.Logger.Info("draining", "delay", config.ShutdownDelay.String(), "timeout", config.ShutdownTimeout.String())
	ready.Store(false)
	draining.Store(true)
	return drain(hooks, failed, config)
}

// newHookServer returns the server of the hooks, and what tells it that the drain has begun.
func newHookServer(config Config, metrics *Metrics) (*http.Server, *atomic.Bool, error) {
	callers, err := newCallers(config)
	if err != nil {
		return nil, nil, err
	}
	handler := NewHandler(Options{
		Controllers:      config.Controllers,
		Logger:           config.Logger,
		Metrics:          metrics,
		Authorize:        callers.authorize,
		MaxBodyBytes:     config.MaxBodyBytes,
		MaxInFlight:      config.MaxInFlight,
		MaxInFlightBytes: config.MaxInFlightBytes,
		MaxHeapBytes:     config.MaxHeapBytes,
	})
	draining := new(atomic.Bool)
	server := newServer(closeConnections(handler, draining), config.Logger)
	if config.TLS.CertFile == "" {
		return server, draining, nil
	}
	server.TLSConfig, err = config.TLS.serverConfig(config.Logger)
	return server, draining, err
}

// closeConnections has every connection closed after its next answer once the drain has begun. A client that is told so
// opens its next connection elsewhere; one whose idle connection is just closed may be sending a request into it.
func closeConnections(next http.Handler, draining *atomic.Bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// drain ends the hooks' server; that for operations answers until the end, for the kubelet asks until the end.
func drain(hooks *http.Server, failed <-chan error, config Config) error {
	delay := time.NewTimer(config.ShutdownDelay)
	defer delay.Stop()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-delay.C:
	}
	ctx, cancel := context.WithTimeout(context.Background(), config.ShutdownTimeout)
	defer cancel()
	if err := hooks.Shutdown(ctx); err != nil {
		return fmt.Errorf("draining requests for %s: %w", config.ShutdownTimeout, err)
	}
	return nil
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		// The library's error says "listen tcp :8080: bind: …", which is all there is to say.
		return nil, fmt.Errorf("starting: %w", err)
	}
	return listener, nil
}

func newServer(handler http.Handler, logger *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           handler,
		Protocols:         protocols,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

func serve(server *http.Server, listener net.Listener) error {
	if server.TLSConfig != nil {
		return server.ServeTLS(listener, "", "")
	}
	return server.Serve(listener)
}
