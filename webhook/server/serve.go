package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The limits of one connection. By default Metacontroller times out a request after 10 s and closes idle connections after
// 90 s. A shorter idleTimeout would let it send a request over a connection that is being closed.
const (
	readHeaderTimeout = 4 * time.Second
	readTimeout       = 12 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = 120 * time.Second
	// maxHeaderBytes is what net/http reads in addition to 4 KiB of headers. Many short headers take 30 times their size. Those of Metacontroller
	// have a token, and 200 bytes more.
	maxHeaderBytes = 1
)

// The ops port is for the kubelet and a few Prometheus servers. With maxOpsConnections it accepts 5,000 connections a second that wait for minWait each;
// with more, unfinished headers would take too much memory. Scrapes above maxScrapes get 503, so that they cannot delay the kubelet.
const (
	maxOpsConnections = 256
	maxScrapes        = 4
)

// Serve serves until the context is done, and then drains: readiness fails, new connections are refused after the delay, and
// requests in flight finish. It returns an error if it cannot listen or if requests did not finish in time.
func Serve(ctx context.Context, config Config) error {
	metrics := NewMetrics(config.Version)
	hooks, draining, err := newHookServer(config, metrics)
	if err != nil {
		return fmt.Errorf("starting: %w", err)
	}
	failed := make(chan error, 2)
	listener, err := listen(ctx, hooks, config.Address, config.withDefaults().MaxConnections)
	if err != nil {
		return err
	}
	go func() { failed <- serve(hooks, listener) }()
	defer hooks.Close()
	attributes := []any{"address", listener.Addr().String(), "tls", hooks.TLSConfig != nil}

	var ready atomic.Bool
	if config.OpsAddress != "" {
		ops := newOpenServer(newOpsHandler(metrics, &ready), config.Logger)
		opsListener, err := listen(ctx, ops, config.OpsAddress, maxOpsConnections)
		if err != nil {
			return err
		}
		go func() { failed <- serve(ops, opsListener) }()
		defer ops.Close() // after the drain, because the kubelet probes until the end
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

// newHookServer returns the server of the hooks, and a value that must be set when the drain begins.
func newHookServer(config Config, metrics *Metrics) (*http.Server, *atomic.Bool, error) {
	callers, err := newAuthorizer(config)
	if err != nil {
		return nil, nil, err
	}
	handler := NewHandler(Options{
		Controllers: config.Controllers,
		Logger:      config.Logger,
		Metrics:     metrics,
		Authorize:   callers.authorize,
		Limits:      config.Limits,
	})
	draining := new(atomic.Bool)
	server := newServer(closeConnections(handler, draining), config.Logger)
	if config.TLS.CertFile == "" {
		return server, draining, nil
	}
	server.TLSConfig, err = config.TLS.serverConfig(config.Logger)
	return server, draining, err
}

// closeConnections adds "Connection: close" to all responses during the drain. The client then opens its next connection to
// another replica. Without the header it may send a request over an idle connection that is being closed.
func closeConnections(next http.Handler, draining *atomic.Bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// drain waits for the delay and then shuts the server down.
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

// newOpsHandler returns a handler of /healthz, /readyz and /metrics.
func newOpsHandler(metrics *Metrics, ready *atomic.Bool) http.Handler {
	router := chi.NewRouter()
	router.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n")
	})
	router.Get("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready.Load() {
			(&httpError{http.StatusServiceUnavailable, "not ready: starting or shutting down"}).write(w)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	router.Method(http.MethodGet, "/metrics", promhttp.HandlerFor(metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
	return router
}

func listen(ctx context.Context, server *http.Server, address string, maxConnections int) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(err) {
			err = cause // "address already in use" without the names of system calls
		}
		return nil, fmt.Errorf("cannot listen on %s: %w", address, err)
	}
	return limitConnections(server, listener, maxConnections), nil
}

func newServer(handler http.Handler, logger *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           dropHeaders(handler),
		Protocols:         protocols,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		// net/http would respond to OPTIONS * by itself, without credentials.
		DisableGeneralOptionsHandler: true,
	}
}

// readHeaders are the headers that handlers read.
var readHeaders = []string{"Accept", "Accept-Encoding", "Authorization", "Content-Encoding", "Content-Type"}

// dropHeaders drops all other headers, because many short ones take 100 KiB. net/http keeps a request until half a second after its connection was
// closed.
func dropHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept := http.Header{}
		for _, name := range readHeaders {
			if value := r.Header.Get(name); value != "" {
				kept.Set(name, value)
			}
		}
		r.Header = kept
		next.ServeHTTP(w, r)
	})
}

func serve(server *http.Server, listener net.Listener) error {
	if server.TLSConfig != nil {
		return server.ServeTLS(listener, "", "")
	}
	return server.Serve(listener)
}
