package webhook

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// BenchmarkHandler answers a sync through everything that a request passes after net/http: what it takes beyond
// BenchmarkSync of webhook/memcached is what routes, bounds, metrics and logs cost.
func BenchmarkHandler(b *testing.B) {
	handler := NewHandler(Options{Controllers: parents.Controllers(memcached.Config{}), MaxHeapBytes: 1 << 30}) // the requests are made in this process
	for _, pods := range []int{0, 3, 100, 1000, 3000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			body := requests.Sync(pods)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				request := httptest.NewRequest(http.MethodPost, "/memcached/sync", bytes.NewReader(body))
				request.Header.Set("Content-Type", "application/json")
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				if recorder.Code != http.StatusOK {
					b.Fatal(recorder.Body)
				}
			}
		})
	}
}
