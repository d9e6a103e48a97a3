package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/webhook/composite"
)

func TestClassify(t *testing.T) {
	cases := []struct {
		reason string
		err    error
		code   int
	}{
		{"the request is not Metacontroller's", &composite.RequestError{Err: errors.New("request has no parent")}, 400},
		{"the parent's author can mend it", fmt.Errorf("sync: %w", &composite.ParentError{Err: errors.New("spec.size: too small")}), 422},
		{"the body is too large", fmt.Errorf("reading the request: %w", &http.MaxBytesError{Limit: 5}), 413},
		{"the content type is none of ours", &mediaTypeError{"a hook takes application/json"}, 415},
		{"the body came too slowly", fmt.Errorf("reading the request: %w", os.ErrDeadlineExceeded), 408},
		{"the client went away", fmt.Errorf("reading the request: %w", io.ErrUnexpectedEOF), 400},
		{"all else is a defect", errors.New("secret detail"), 500},
	}
	for _, test := range cases {
		code, sentence := classify(test.err)
		if code != test.code || sentence == "" {
			t.Errorf("%s: %d %q, want %d", test.reason, code, sentence, test.code)
		}
		if strings.Contains(sentence, "secret detail") {
			t.Errorf("%s: the detail of a defect is for the log alone: %q", test.reason, sentence)
		}
	}
}

// serveOne answers one request with the given composite handler and returns what the log says of it.
func serveOne(t *testing.T, handle composite.Handler) (*httptest.ResponseRecorder, string) {
	t.Helper()
	var log bytes.Buffer
	options := Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}.withDefaults()
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{}`))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	newHook("memcached", "sync", handle, options).ServeHTTP(recorder, request)
	return recorder, log.String()
}

func TestPanicChangesNothing(t *testing.T) {
	recorder, log := serveOne(t, func(io.Reader, metav1.Time) (composite.Response, error) {
		panic("a defect")
	})
	if recorder.Code != http.StatusInternalServerError || strings.Contains(recorder.Body.String(), "defect\n") || strings.Contains(recorder.Body.String(), ".go") {
		t.Errorf("answered %d %q: the stack is for the log", recorder.Code, recorder.Body)
	}
	if !strings.Contains(log, "a defect") || !strings.Contains(log, "hook_test.go") {
		t.Errorf("the log must say what happened and where: %s", log)
	}
}

func TestRefusalIsLoggedWithItsParent(t *testing.T) {
	_, log := serveOne(t, func(io.Reader, metav1.Time) (composite.Response, error) {
		parent := types.NamespacedName{Namespace: "web", Name: "cache"}
		return composite.Response{Parent: parent}, &composite.ParentError{Err: errors.New("spec.size: too small")}
	})
	for _, want := range []string{"level=INFO", "parent=web/cache", "code=422", "spec.size: too small"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is missing in the log line %s", want, log)
		}
	}
	if strings.Count(log, "\n") != 1 {
		t.Errorf("a refusal is one line, not %q", log)
	}
}

func TestRequestID(t *testing.T) {
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodPost, "/nowhere", nil)
	NewHandler(Options{}).ServeHTTP(recorder, request)
	if recorder.Header().Get("X-Request-Id") == "" {
		t.Error("a caller cannot point at its line in the log without the request's id")
	}
}

func TestServeDrains(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log := &lines{found: make(chan string, 16)}
	config := Config{
		Address: "127.0.0.1:0", OpsAddress: "127.0.0.1:0", MaxBodyBytes: 1 << 20,
		ShutdownDelay: 0, ShutdownTimeout: shutdownTimeout, Logger: slog.New(slog.NewTextHandler(log, nil)),
	}
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, config) }()
	started := <-log.found
	address, ops := attribute(started, " address="), attribute(started, "ops-address=")

	if body := get(t, "http://"+ops+"/readyz"); body != "ok\n" {
		t.Fatalf("ready once it listens: %q", body)
	}
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	// Half a request is in flight when the end comes.
	if _, err := io.WriteString(connection, "POST /memcached/sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		return strings.Contains(get(t, "http://"+ops+"/metrics"), `hook_requests_in_flight{controller="memcached",hook="sync"} 1`)
	})
	stop()
	<-log.found // draining
	if _, err := io.WriteString(connection, "}"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(connection)
	if err != nil || !strings.Contains(string(answer), "400 Bad Request") {
		t.Errorf("a request in flight was not finished: %q, %v", answer, err)
	}
	if err := <-served; err != nil {
		t.Errorf("the drain: %v", err)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("it still listens after the drain")
	}
}

func TestServeSaysWhyItCannot(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	err = Serve(t.Context(), Config{Address: listener.Addr().String(), Logger: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), listener.Addr().String()) {
		t.Errorf("an address that is taken must be named: %v", err)
	}
}
