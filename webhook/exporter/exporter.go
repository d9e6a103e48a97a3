// Package exporter runs next to a proxy, and exports the reads of its clients to Prometheus.
//
// The metrics of the servers do not show what clients see during a change: a proxy sends several commands for one of a client. The routes
// count the reads, and "stats proxy" lists their counters, which prom/memcached-exporter does not read.
package exporter

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/example/memcached-operator/webhook/memcached/client"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/server"
)

// timeout limits a request to the proxy, which runs in the same pod. It is less than that of a scrape.
const timeout = 5 * time.Second

var reads = prometheus.NewDesc("memcached_proxy_reads_total",
	"Reads of clients through this proxy, by result (hit or miss) and by phase of a change. A read from a server that is down is a miss.", []string{"phase", "result"}, nil)

// results has the label of each counter of library.lua, and phases are those of the routes. Other names may not even be UTF-8.
var (
	results = map[string]string{"hits": "hit", "misses": "miss"}
	phases  = []moves.ProxyPhase{"steady", moves.Announcing, moves.Preparing, moves.Warming, moves.Closing}
)

// Config is the configuration of the exporter.
type Config struct {
	// Address is the host:port for Prometheus.
	Address string
	// Proxy is the host:port of the proxy on the loopback interface.
	Proxy  string
	Logger *slog.Logger
}

// Check returns an error for an invalid configuration.
func (c *Config) Check() error {
	if c.Proxy == "" {
		return errors.New("export requires --proxy: set the host:port of the proxy in the same pod")
	}
	return nil
}

// Run serves Prometheus until the context ends.
func Run(ctx context.Context, c Config) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", c.Handler(ctx))
	return server.ServeSidecar(ctx, c.Address, mux, c.Logger)
}

// Handler returns the handler of /metrics. A scrape fails if the proxy does not respond.
func (c *Config) Handler(ctx context.Context) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(&collector{ctx, c.Proxy})
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(c.Logger.Handler(), slog.LevelError), MaxRequestsInFlight: 4,
	})
}

// collector reads the counters at each scrape.
type collector struct {
	ctx   context.Context
	proxy string
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(descs chan<- *prometheus.Desc) { descs <- reads }

// Collect implements [prometheus.Collector].
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	values, err := c.stats()
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(reads, err)
		return
	}
	for name, value := range values {
		counter, phase, _ := strings.Cut(strings.TrimPrefix(name, "user_"), "_")
		count, err := strconv.ParseFloat(value, 64)
		if result := results[counter]; result != "" && slices.Contains(phases, moves.ProxyPhase(phase)) && err == nil {
			metrics <- prometheus.MustNewConstMetric(reads, prometheus.CounterValue, count, phase, result)
		}
	}
}

func (c *collector) stats() (map[string]string, error) {
	ctx, cancel := context.WithTimeout(c.ctx, timeout) // also for a response that never ends
	defer cancel()
	connection, err := client.Dial(ctx, c.proxy, client.Config{Timeout: timeout})
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return connection.Stats("proxy")
}
