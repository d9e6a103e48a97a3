package server

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/composite"
)

// TestLongValuesAreShortened: no caller may fill the log or a response.
func TestLongValuesAreShortened(t *testing.T) {
	long := strings.Repeat("7", 100_000)
	for _, test := range []struct {
		reason, body string
		header       http.Header
	}{
		{"a content type", thing, http.Header{"Content-Type": {"text/" + long}}},
		{"an encoding", thing, http.Header{"Content-Encoding": {long}}},
		{"a kind", strings.Replace(thing, "Thing", long, 1), nil},
		{"an API version", strings.Replace(thing, "meta.k8s.io/v1", long, 1), nil},
		{"the name of the parent", strings.Replace(thing, `"name":"a"`, `"name":"`+long+`"`, 1), nil},
		{"a number", strings.Replace(thing, `"name":"a"`, `"name":"a","generation":`+long, 1), nil},
		{"the name of a field", strings.Replace(thing, `"name":"a"`, `"name":"a","labels":{"`+long+`":5}`, 1), nil},
	} {
		var log bytes.Buffer
		failing := thingController(func(thingRequest) (composite.Desired[struct{}], error) {
			return composite.Desired[struct{}]{}, &composite.ParentError{Err: errors.New("spec.size: too small")}
		})
		handler := NewHandler(Options{Controllers: failing, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		request := httptest.NewRequest(http.MethodPost, "/thing/sync", strings.NewReader(test.body))
		request.Header.Set("Content-Type", "application/json")
		for name, values := range test.header {
			request.Header[name] = values
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		for output, text := range map[string]string{"response": recorder.Body.String(), "log": log.String()} {
			if sevens := strings.Count(text, "7"); sevens > 2*200 || text == "" {
				t.Errorf("%s: the %s has %d bytes of the value: %.300s", test.reason, output, sevens, text)
			}
		}
	}
}

// TestRetryError: Metacontroller reads whole seconds, and tries again immediately after a 0.
func TestRetryError(t *testing.T) {
	for after, want := range map[time.Duration]string{0: "1", 1500 * time.Millisecond: "2", time.Minute: "60"} {
		waiting := thingController(func(thingRequest) (composite.Desired[struct{}], error) {
			return composite.Desired[struct{}]{}, &composite.RetryError{Err: errors.New("the Secret a does not exist yet"), After: after}
		})
		request := httptest.NewRequest(http.MethodPost, "/thing/sync", strings.NewReader(thing))
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		NewHandler(Options{Controllers: waiting}).ServeHTTP(recorder, request)
		if got := recorder.Header().Get("Retry-After"); recorder.Code != http.StatusTooManyRequests || got != want {
			t.Errorf("%s: %d with Retry-After %q, want %q", after, recorder.Code, got, want)
		}
	}
}
