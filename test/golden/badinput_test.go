package golden

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

// smallest returns the shortest fixture of each hook, because tests break it in many ways.
func smallest(t testing.TB) []fixture {
	t.Helper()
	byURL := map[string]fixture{}
	for _, f := range fixtures(t) {
		if shortest, found := byURL[f.url()]; !found || len(f.request) < len(shortest.request) {
			byURL[f.url()] = f
		}
	}
	var found []fixture
	for _, f := range byURL {
		found = append(found, f)
	}
	return found
}

// TestRefusedHeaders checks that a wrong method, content type, encoding or size is refused before the body is decoded.
func TestRefusedHeaders(t *testing.T) {
	t.Parallel()
	handler := server.NewHandler(server.Options{Controllers: parents.Controllers(memcached.Config{}), Limits: server.Limits{MaxBodyBytes: 1 << 20}})
	for _, f := range smallest(t) {
		cases := []struct {
			reason, method, contentType, encoding, url string
			body                                       []byte
			code                                       int
		}{
			{"hooks accept only POST", http.MethodGet, "application/json", "", f.url(), f.request, 405},
			{"hooks accept only POST", http.MethodPut, "application/json", "", f.url(), f.request, 405},
			{"a form is not a request", http.MethodPost, "application/x-www-form-urlencoded", "", f.url(), f.request, 415},
			{"no content type", http.MethodPost, "", "", f.url(), f.request, 415},
			{"Metacontroller never compresses, and a small body can decompress to a huge one", http.MethodPost, "application/json", "gzip", f.url(), f.request, 415},
			{"a body over the limit", http.MethodPost, "application/json", "", f.url(), append(bytes.Repeat([]byte(" "), 1<<20), f.request...), 413},
			{"the hook does not exist", http.MethodPost, "application/json", "", f.url() + "/x", f.request, 404},
			{"the controller does not exist", http.MethodPost, "application/json", "", "/unknown/sync", f.request, 404},
		}
		for _, test := range cases {
			request := httptest.NewRequest(test.method, test.url, bytes.NewReader(test.body))
			request.Header.Set("Content-Type", test.contentType)
			request.Header.Set("Content-Encoding", test.encoding)
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			wantRefused(t, recorder, test.code, test.reason)
		}
	}
}

// wantRefused fails unless a request was refused with the given code and one plain sentence. Only a 200 changes the cluster.
func wantRefused(t testing.TB, recorder *httptest.ResponseRecorder, code int, reason string) {
	t.Helper()
	sentence := recorder.Body.String()
	if recorder.Code != code || recorder.Code < 400 || recorder.Code >= 500 {
		t.Errorf("%s: got status code %d with %.200q, want %d", reason, recorder.Code, sentence, code)
	}
	if len(sentence) < 10 || len(sentence) > 500 || strings.Count(sentence, "\n") != 1 || strings.HasPrefix(sentence, ":") {
		t.Errorf("%s: body %q is not one plain sentence", reason, sentence)
	}
}
