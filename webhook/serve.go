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

// Config is how the program serves.
type Config struct {
	// Address takes the hooks' requests, OpsAddress those for health and metrics; an empty OpsAddress serves none.
	Address, OpsAddress string
	// MaxBodyBytes bounds a request's body.
	MaxBodyBytes int64
	// ShutdownDelay is the time between failing readiness and refusing new connections, in which the cluster learns
	// to send requests elsewhere.
	ShutdownDelay time.Duration
	// ShutdownTimeout is the time that requests in flight have to finish after that.
	ShutdownTimeout time.Duration
	Logger          *slog.Logger
}

// The bounds of one connection. Metacontroller gives up on a request after 10 s by default and closes its idle
// connections after 90 s: were ours shorter, it would now and then send a request into a closing connection.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = 120 * time.Second
	maxHeaderBytes    = 64 << 10
)

// Serve listens, serves until the context ends, and drains: readiness fails first, new connections are refused after
// the delay, and requests in flight finish. It returns an error when it cannot listen or requests had to be cut off.
func Serve(ctx context.Context, config Config) error {
	metrics := NewMetrics()
	var ready atomic.Bool
	hooks := newServer(NewHandler(Options{Logger: config.Logger, Metrics: metrics, MaxBodyBytes: config.MaxBodyBytes}), config.Logger)
	ops := newServer(newOpsHandler(metrics, &ready), config.Logger)

	failed := make(chan error, 2)
	listener, err := listen(ctx, config.Address)
	if err != nil {
		return err
	}
	go func() { failed <- hooks.Serve(listener) }()
	defer hooks.Close()
	attributes := []any{"address", listener.Addr().String()}
	if config.OpsAddress != "" {
		opsListener, err := listen(ctx, config.OpsAddress)
		if err != nil {
			return err
		}
		go func() { failed <- ops.Serve(opsListener) }()
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
	return drain(hooks, failed, config)
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
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}
