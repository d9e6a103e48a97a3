package server

import (
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the metrics of a server. Their labels are bounded: the served controllers and hooks, and the status codes of
// [toHTTPError], but no parent's name.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	bodies    *prometheus.HistogramVec
	inFlight  *prometheus.GaugeVec
}

// NewMetrics returns metrics in a new registry, with the metrics of the Go runtime, the process and the build. The version is
// the program's.
func NewMetrics(version string) *Metrics {
	labels := []string{"controller", "hook"}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "memcached_operator_requests_total",
			Help: "Number of requests by status code.",
		}, []string{"controller", "hook", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "memcached_operator_request_duration_seconds",
			Help:    "Time from the header of a request to the end of its response.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 9), // 0.1 ms to 6.6 s; Metacontroller times out after 10 s
		}, labels),
		bodies: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "memcached_operator_request_body_bytes",
			Help:    "Number of bytes read from the body of a request.",
			Buckets: prometheus.ExponentialBuckets(4096, 4, 8), // 4 KiB to 64 MiB
		}, labels),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "memcached_operator_requests_in_flight",
			Help: "Current number of requests in flight.",
		}, labels),
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "memcached_operator_build_info",
		Help: "Always 1; the labels are the versions of the program and of Go.",
	}, []string{"version", "go_version"})
	build.WithLabelValues(version, runtime.Version()).Set(1)
	m.registry.MustRegister(m.requests, m.durations, m.bodies, m.inFlight, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// hookMetrics are the metrics of one hook.
type hookMetrics struct {
	requests *prometheus.CounterVec
	duration prometheus.Observer
	body     prometheus.Observer
	inFlight prometheus.Gauge
}

func (m *Metrics) forHook(controller, hook string) hookMetrics {
	return hookMetrics{
		requests: m.requests.MustCurryWith(prometheus.Labels{"controller": controller, "hook": hook}),
		duration: m.durations.WithLabelValues(controller, hook),
		body:     m.bodies.WithLabelValues(controller, hook),
		inFlight: m.inFlight.WithLabelValues(controller, hook),
	}
}

func (m hookMetrics) observe(code int, bodyBytes int64, took time.Duration) {
	m.requests.WithLabelValues(strconv.Itoa(code)).Inc()
	m.duration.Observe(took.Seconds())
	m.body.Observe(float64(bodyBytes))
}
