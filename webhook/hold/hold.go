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
	"net"
	"net/http"
	"sync"
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
	// maxHolds is the maximum number of requests of one address: more than those of a kubelet that restarts several times. Pods, which
	// reach the sidecar without a NetworkPolicy, have other addresses than the kubelet.
	maxHolds = 4
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
	switch {
	case c.Memcached == "":
		return errors.New("hold requires --memcached: set the host:port of the memcached in the same pod")
	case c.Grace <= 0:
		return errors.New("--grace must be greater than 0")
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
	holds := callers{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /alive", func(w http.ResponseWriter, _ *http.Request) {
		if err := memcached.alive(ctx); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /hold", func(w http.ResponseWriter, r *http.Request) {
		address, _, _ := net.SplitHostPort(r.RemoteAddr)
		if holds.add(address, 1) > maxHolds {
			http.Error(w, "too many requests from this address hold memcached", http.StatusTooManyRequests)
			holds.add(address, -1)
			return
		}
		defer holds.add(address, -1)
		c.Logger.Info("The pod terminates. memcached serves clients until none is connected.")
		reason := c.hold(r.Context(), func() (clients, time.Duration, error) { return memcached.clients(ctx) })
		c.Logger.Info("memcached may stop.", "reason", reason)
		fmt.Fprintln(w, reason)
	})
	return mux
}

// callers counts requests by the address of the caller.
type callers struct {
	mutex sync.Mutex
	count map[string]int
}

// add changes the number of requests of an address, and returns it.
func (c *callers) add(address string, requests int) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.count == nil {
		c.count = map[string]int{}
	}
	c.count[address] += requests
	number := c.count[address]
	if number == 0 {
		delete(c.count, address)
	}
	return number
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
