// Package hold runs next to a memcached whose items can move to other servers. While the pod terminates, it lets memcached serve until
// no client of another pod is connected.
//
// The kubelet calls it over HTTP, because only this reaches a program in another container: as the preStop hook of memcached, and as
// its liveness probe. It needs no access to the API server. Proxies that know a server keep connections to it, from their start, and
// those that do not know it have none. So the connections show whether the server is still in use.
package hold

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/example/memcached-operator/webhook/server"
)

const (
	// quiet is how long no remote client must be connected. The proxies of a new rollout connect before those of the earlier one stop.
	quiet = 3 * time.Second
	// patience is how long memcached may not respond before a hold ends. It covers a busy memcached. The items of one that hangs are
	// lost anyway.
	patience = 5 * time.Second
	// interval is the time between two samples of the connections. The connection of a TCP probe is much shorter.
	interval = 500 * time.Millisecond
	// stopTime is the part of the grace period in which memcached stops after the hold.
	stopTime = 5 * time.Second
	// maxHolds is more than the calls of a kubelet that restarts several times. It limits the memory.
	maxHolds = 8
)

// Config is the configuration of the sidecar.
type Config struct {
	// Address is the host:port for the kubelet, which connects to the address of the pod.
	Address string
	// Memcached is the host:port of memcached on the loopback interface.
	Memcached string
	// Grace is terminationGracePeriodSeconds of the pod.
	Grace  time.Duration
	Logger *slog.Logger
}

// Check returns an error for an invalid configuration.
func (c *Config) Check() error {
	if c.Grace <= 0 {
		return errors.New("--grace must be above 0")
	}
	return nil
}

// Run serves the kubelet until the context ends.
func Run(ctx context.Context, c Config) error {
	return server.ServeSidecar(ctx, c.Address, c.handler(ctx), c.Logger)
}

// handler returns the handler of /hold, which responds when memcached may stop, and of /alive, which responds 200 OK if memcached
// responds. The context is that of the connection to memcached, which outlives a request.
func (c *Config) handler(ctx context.Context) http.Handler {
	memcached := &memcachedServer{address: c.Memcached}
	holds := make(chan struct{}, maxHolds)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /alive", func(w http.ResponseWriter, _ *http.Request) {
		if err := memcached.alive(ctx); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /hold", func(w http.ResponseWriter, r *http.Request) {
		select {
		case holds <- struct{}{}:
			defer func() { <-holds }()
		default:
			http.Error(w, "too many requests hold memcached", http.StatusTooManyRequests)
			return
		}
		c.Logger.Info("The pod terminates. memcached serves until no client is connected.")
		reason := c.hold(r.Context(), func() (clients, time.Duration, error) { return memcached.clients(ctx) })
		c.Logger.Info("memcached may stop.", "reason", reason)
		fmt.Fprintln(w, reason)
	})
	return mux
}

// hold returns when memcached may stop, and why. sample returns the clients of memcached; nil for too many, or with an error, and for how
// long memcached has not responded.
func (c *Config) hold(ctx context.Context, sample func() (clients, time.Duration, error)) string {
	end, next := time.NewTimer(c.Grace-stopTime), time.NewTicker(interval)
	defer end.Stop()
	defer next.Stop()
	for u := (usage{}); ; {
		found, silent, err := sample()
		switch {
		case err != nil && silent >= patience:
			return "memcached does not respond: " + err.Error()
		case u.quietFor(time.Now(), found) >= quiet:
			return "no client is connected"
		}
		select {
		case <-ctx.Done():
			return "the kubelet cancelled the request"
		case <-end.C:
			return "the grace period ends"
		case <-next.C:
		}
	}
}
