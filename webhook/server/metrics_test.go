package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

const shutdownTimeout = 10 * time.Second

func TestMetricsCountByCode(t *testing.T) {
	metrics := NewMetrics("v1")
	succeed := func(thingRequest) (composite.Desired[struct{}], error) { return composite.Desired[struct{}]{}, nil }
	handler := NewHandler(Options{Controllers: thingController(succeed), Metrics: metrics})
	for _, body := range []string{thing, thing, "{}"} {
		postThing(handler, strings.NewReader(body))
	}
	want := `
# HELP memcached_operator_requests_total Number of requests by status code.
# TYPE memcached_operator_requests_total counter
memcached_operator_requests_total{code="200",controller="thing",hook="sync"} 2
memcached_operator_requests_total{code="400",controller="thing",hook="sync"} 1
`
	if err := testutil.GatherAndCompare(metrics.registry, strings.NewReader(want), "memcached_operator_requests_total"); err != nil {
		t.Error(err)
	}
}

// TestLabelsAreBounded: a label for each requested URL would let a caller create any number of series.
func TestLabelsAreBounded(t *testing.T) {
	metrics := NewMetrics("v1")
	handler := NewHandler(Options{Controllers: parents.Controllers(memcached.Config{}), Metrics: metrics})
	before := testutil.CollectAndCount(metrics.durations)
	for i := range 100 {
		request := httptest.NewRequest(http.MethodPost, "/x"+strconv.Itoa(i)+"/sync", nil)
		handler.ServeHTTP(httptest.NewRecorder(), request)
		request = httptest.NewRequest("METHOD"+strconv.Itoa(i), "/memcached/sync", nil)
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}
	if after := testutil.CollectAndCount(metrics.durations); after != before {
		t.Errorf("%d series became %d", before, after)
	}
	want := `
# HELP memcached_operator_requests_total Number of requests by status code.
# TYPE memcached_operator_requests_total counter
memcached_operator_requests_total{code="404",controller="none",hook="none"} 100
memcached_operator_requests_total{code="405",controller="none",hook="none"} 100
`
	if err := testutil.GatherAndCompare(metrics.registry, strings.NewReader(want), "memcached_operator_requests_total"); err != nil {
		t.Error(err)
	}
}

func TestReadinessFollowsTheServer(t *testing.T) {
	var ready atomic.Bool
	handler := newOpsHandler(NewMetrics("v1"), &ready)
	for _, test := range []struct {
		reason, path string
		ready        bool
		code         int
	}{
		{"not ready before it listens and during the drain", "/readyz", false, 503},
		{"ready while it serves", "/readyz", true, 200},
		{"the kubelet must not restart it during the drain", "/healthz", false, 200},
		{"the last scrape happens during the drain", "/metrics", false, 200},
	} {
		ready.Store(test.ready)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, test.path, nil))
		if recorder.Code != test.code {
			t.Errorf("%s: GET %s returned %d, want %d", test.reason, test.path, recorder.Code, test.code)
		}
	}
}

// attribute returns the value of a key in a log line.
func attribute(line, key string) string {
	_, rest, _ := strings.Cut(line, key)
	value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return value
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// waitFor polls until the condition holds, and fails after 10 s.
func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatal("the condition did not hold within 10 s")
		}
		time.Sleep(5 * time.Millisecond)
	}
}
