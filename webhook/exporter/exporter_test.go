package exporter

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/loopback"
)

func TestExport(t *testing.T) {
	const stats = "STAT user_hits_warming 7\r\nSTAT user_misses_warming 1\r\nSTAT user_other_warming 9\r\nSTAT user_hits_ 9\r\nSTAT user_hits_\xff 9\r\nSTAT cmd_get 8\r\nEND\r\n"
	cases := []struct {
		reason, response string
		code             int
		want             []string
	}{
		{"the counters of the routes are exported, and no others", stats, http.StatusOK,
			[]string{`memcached_proxy_reads_total{phase="warming",result="hit"} 7`, `memcached_proxy_reads_total{phase="warming",result="miss"} 1`}},
		{"a proxy that has not loaded its routes has no counters", "END\r\n", http.StatusOK, nil},
		{"a proxy that refuses is not one without reads", "ERROR\r\n", http.StatusInternalServerError, nil},
		{"a proxy that does not run is not one without reads", "", http.StatusInternalServerError, nil},
	}
	for _, test := range cases {
		address := "127.0.0.1:1" // nothing listens
		if test.response != "" {
			address = loopback.Serve(t, loopback.Lines(func(string) string { return test.response })) // test/servers uses a real proxy
		}
		config := Config{Proxy: address, Logger: slog.New(slog.DiscardHandler)}
		recorder := httptest.NewRecorder()
		config.Handler(t.Context()).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if recorder.Code != test.code {
			t.Errorf("%s: status %d, want %d", test.reason, recorder.Code, test.code)
		}
		var got []string
		for line := range strings.Lines(recorder.Body.String()) {
			if strings.HasPrefix(line, "memcached_") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestEndlessResponse checks that a scrape ends although the statistics of memcached do not.
func TestEndlessResponse(t *testing.T) {
	t.Parallel()
	address := loopback.Serve(t, func(connection net.Conn) {
		for t.Context().Err() == nil {
			if _, err := io.WriteString(connection, "STAT a 1\r\n"); err != nil {
				return
			}
			time.Sleep(timeout / 10) // each part arrives in time
		}
	})
	config := Config{Proxy: address, Logger: slog.New(slog.DiscardHandler)}
	recorder, begin := httptest.NewRecorder(), time.Now()
	config.Handler(t.Context()).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if took := time.Since(begin); recorder.Code != http.StatusInternalServerError || took > 2*timeout {
		t.Errorf("status %d after %s, want 500 after %s", recorder.Code, took, timeout)
	}
}
