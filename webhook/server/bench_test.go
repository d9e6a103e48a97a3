package server

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// connectedRecorder has deadlines, as a connection has.
type connectedRecorder struct{ *httptest.ResponseRecorder }

func (connectedRecorder) SetReadDeadline(time.Time) error { return nil }

// BenchmarkHandler handles a sync request like a server, without net/http. The difference to BenchmarkSync of
// webhook/memcached is the cost of routing, limits, metrics and logs.
func BenchmarkHandler(b *testing.B) {
	// The requests are made in this process, so the limit of the heap is high.
	handler := NewHandler(Options{Controllers: parents.Controllers(memcached.Config{}), Limits: Limits{MaxHeapBytes: 1 << 30}})
	for _, pods := range []int{0, 3, 100, 1000, 3000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			body := requests.Sync(pods)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				request := httptest.NewRequest(http.MethodPost, "/memcached/sync", bytes.NewReader(body))
				request.Header.Set("Content-Type", "application/json")
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(connectedRecorder{recorder}, request)
				if recorder.Code != http.StatusOK {
					b.Fatal(recorder.Body)
				}
			}
		})
	}
}
