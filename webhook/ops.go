package webhook

import (
	"io"
	"net/http"
	"sync/atomic"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// newOpsHandler serves what the kubelet and Prometheus ask for: /healthz, /readyz and /metrics.
func newOpsHandler(metrics *Metrics, ready *atomic.Bool) http.Handler {
	router := chi.NewRouter()
	router.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n")
	})
	router.Get("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready.Load() {
			refuse(w, http.StatusServiceUnavailable, "not ready: starting or shutting down")
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	router.Method(http.MethodGet, "/metrics", promhttp.HandlerFor(metrics.registry, promhttp.HandlerOpts{}))
	return router
}
