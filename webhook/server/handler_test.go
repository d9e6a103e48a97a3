package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

func TestToHTTPError(t *testing.T) {
	cases := []struct {
		reason string
		err    error
		code   int
	}{
		{"the request is not Metacontroller's", &composite.RequestError{Err: errors.New("the request has no parent")}, 400},
		{"the parent's author can fix it", fmt.Errorf("sync: %w", &composite.ParentError{Err: errors.New("spec.size: too small")}), 422},
		{"the hook waits for another object", fmt.Errorf("sync: %w", &composite.RetryError{Err: errors.New("the Secret a does not exist yet")}), 429},
		{"the body is too large", fmt.Errorf("reading the request: %w", &http.MaxBytesError{Limit: 5}), 413},
		{"a token is too large", fmt.Errorf("reading the request: %w", &composite.TokenError{}), 413},
		{"an httpError has its own code", &httpError{http.StatusUnauthorized, "the request has no token"}, 401},
		{"an httpError may be wrapped", fmt.Errorf("calling: %w", &httpError{http.StatusNotFound, "there is no hook at /x"}), 404},
		{"the body arrives too slowly", fmt.Errorf("reading the request: %w", os.ErrDeadlineExceeded), 408},
		{"the client closed the connection", fmt.Errorf("reading the request: %w", io.ErrUnexpectedEOF), 400},
		{"the client reset the connection", &composite.ReadError{Err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}}, 400},
		{"the connection timed out before the hook's deadline", &composite.ReadError{Err: &net.OpError{Op: "read", Err: syscall.ETIMEDOUT}}, 400},
		{"the transfer encoding is invalid", &composite.ReadError{Err: errors.New("invalid byte in chunk length")}, 400},
		{"the hook's deadline ends the reading", &composite.ReadError{Err: &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}}, 408},
		{"the limit of a body ends the reading", &composite.ReadError{Err: &http.MaxBytesError{Limit: 5}}, 413},
		{"the limit of the heap ends the reading", &composite.ReadError{Err: errBusy}, 429},
		{"the request alone needs too much memory", &composite.ReadError{Err: errNoMemory}, 413},
		{"a panic is a defect", &panicError{cause: "secret detail"}, 500},
		{"any other error is a defect", errors.New("secret detail"), 500},
	}
	for _, test := range cases {
		got := toHTTPError(test.err)
		if got.code != test.code || got.message == "" {
			t.Errorf("%s: %d %q, want %d", test.reason, got.code, got.message, test.code)
		}
		if strings.Contains(got.message, "secret detail") {
			t.Errorf("%s: the detail of a defect belongs in the log only: %q", test.reason, got.message)
		}
	}
}

type thingRequest = composite.Request[*metav1.PartialObjectMetadata, struct{}, struct{}]

// thingController returns a controller with a sync hook for the request thing.
func thingController(sync func(thingRequest) (composite.Desired[struct{}], error)) []composite.Controller {
	return []composite.Controller{{Name: "thing", Parent: metav1.SchemeGroupVersion.WithKind("Thing"), Sync: composite.Sync(sync)}}
}

const thing = `{"parent":{"apiVersion":"meta.k8s.io/v1","kind":"Thing","metadata":{"namespace":"web","name":"a"}},"children":{},"related":{}}`

func postThing(handler http.Handler, body io.Reader) *httptest.ResponseRecorder {
	return post(handler, "/thing/sync", body)
}

func post(handler http.Handler, url string, body io.Reader) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, url, body)
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// TestResetConnectionIsNoDefect: the alert about defects must not fire if a caller resets the connection while its body is read.
func TestResetConnectionIsNoDefect(t *testing.T) {
	log := make(logLines, 1)
	server := httptest.NewServer(NewHandler(Options{Controllers: parents.Controllers(memcached.Config{}), Logger: slog.New(slog.NewTextHandler(log, nil))}))
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(connection, "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	if err := connection.(*net.TCPConn).SetLinger(0); err != nil { // Close then sends a reset
		t.Fatal(err)
	}
	connection.Close()
	var line string
	select {
	case line = <-log:
	case <-time.After(10 * time.Second):
	}
	for _, want := range []string{"level=INFO", "code=400", "connection reset by peer"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is missing in the log line %q", want, line)
		}
	}
}

// logLines receives the lines of a log.
type logLines chan string

func (l logLines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// TestPanicChangesNothing: a panic gets a 500, and the next request is served.
func TestPanicChangesNothing(t *testing.T) {
	var log bytes.Buffer
	calls := 0
	handler := NewHandler(Options{
		Controllers: thingController(func(thingRequest) (composite.Desired[struct{}], error) {
			if calls++; calls%2 == 0 {
				panic("secret detail")
			}
			return composite.Desired[struct{}]{}, nil
		}),
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	for i, want := range []int{200, 500, 200, 500, 200} {
		got := postThing(handler, strings.NewReader(thing))
		if got.Code != want || strings.Contains(got.Body.String(), "secret") || strings.Contains(got.Body.String(), ".go") {
			t.Errorf("request %d got %d %q, want %d: the stack belongs in the log only", i, got.Code, got.Body, want)
		}
	}
	if strings.Count(log.String(), "level=ERROR") != 2 {
		t.Errorf("each panic must be an error in the log: %s", &log)
	}
	if strings.Count(log.String(), "secret detail") != 2 || strings.Count(log.String(), "handler_test.go") < 2 {
		t.Errorf("the log must contain each panic and its stack: %s", &log)
	}
}

func TestRefusalIsLoggedWithItsParent(t *testing.T) {
	var log bytes.Buffer
	refuse := thingController(func(thingRequest) (composite.Desired[struct{}], error) {
		return composite.Desired[struct{}]{}, &composite.ParentError{Err: errors.New("spec.size: too small")}
	})
	postThing(NewHandler(Options{Controllers: refuse, Logger: slog.New(slog.NewTextHandler(&log, nil))}), strings.NewReader(thing))
	for _, want := range []string{"level=INFO", "parent=web/a", "code=422", "spec.size: too small"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is missing in the log line %s", want, &log)
		}
	}
	if strings.Count(log.String(), "\n") != 1 {
		t.Errorf("a refusal must be logged as one line: %q", &log)
	}
}

// TestRefusalsAreLoggedSlowly: who has a request that is refused can send it without a pause.
func TestRefusalsAreLoggedSlowly(t *testing.T) {
	var log bytes.Buffer
	handler := NewHandler(Options{Controllers: thingController(nil), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	began, refusals := time.Now(), 10*maxLines
	for range refusals {
		postThing(handler, strings.NewReader("{}"))
	}
	seconds := 2 + int(time.Since(began).Seconds()) // that the requests can have touched
	if lines := strings.Count(log.String(), "\n"); lines == 0 || lines > seconds*maxLines {
		t.Errorf("%d lines for %d refusals in %d seconds", lines, refusals, seconds)
	}
}

// TestRefusalIsRead: a caller that is refused before its body is read must receive the reason, even if the connection is closed.
func TestRefusalIsRead(t *testing.T) {
	server := httptest.NewServer(NewHandler(Options{
		Limits:    Limits{MaxBodyBytes: 4 << 20},
		Authorize: func(*http.Request) error { return &httpError{http.StatusUnauthorized, "a caller needs a token"} },
	}))
	defer server.Close()
	for _, test := range []struct {
		reason string
		bytes  int
	}{
		{"the body is in flight when the response is known", 100 << 10},
		{"the body is larger than what is discarded", 4 << 20},
		{"the body is larger than the limit", 8 << 20},
	} {
		for range 20 { // a race that the caller must win each time
			response, err := http.Post(server.URL+"/memcached/sync", "application/json", bytes.NewReader(make([]byte, test.bytes)))
			if err != nil {
				t.Fatalf("%s: %v", test.reason, err)
			}
			message, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode != http.StatusUnauthorized || string(message) != "a caller needs a token\n" {
				t.Errorf("%s: %s %q, %v", test.reason, response.Status, message, err)
			}
		}
	}
}

// unread fails the test if it is read before the response is written.
type unread struct {
	t        *testing.T
	response *httptest.ResponseRecorder
}

func (u unread) Read([]byte) (int, error) {
	if u.response.Body.Len() == 0 {
		u.t.Error("the body was read before the response was written")
	}
	return 0, io.EOF
}

func TestRefusedBeforeReading(t *testing.T) {
	unauthorized := func(*http.Request) error { return &httpError{http.StatusForbidden, "no"} }
	for _, test := range []struct {
		reason, path string
		options      Options
		length       int64
		code         int
	}{
		{"the Content-Length is too large", "/memcached/sync", Options{Limits: Limits{MaxBodyBytes: 10}}, 11, 413},
		{"the caller is unauthorized", "/memcached/sync", Options{Authorize: unauthorized}, 10, 403},
		{"an unauthorized caller cannot find out which hooks exist", "/nowhere", Options{Authorize: unauthorized}, 10, 403},
		{"there is no such hook", "/nowhere", Options{}, 10, 404},
	} {
		test.options.Controllers = parents.Controllers(memcached.Config{})
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodPost, test.path, unread{t, recorder})
		request.Header.Set("Content-Type", "application/json")
		request.ContentLength = test.length
		NewHandler(test.options).ServeHTTP(recorder, request)
		if recorder.Code != test.code {
			t.Errorf("%s: %d, want %d", test.reason, recorder.Code, test.code)
		}
	}
}
