package webhook

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
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
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
		{"one token is too large to be held", fmt.Errorf("reading the request: %w", &composite.TokenError{}), 413},
		{"the caller did not say who it is", &callerError{http.StatusUnauthorized, "a caller needs a token"}, 401},
		{"waiting would not help it", fmt.Errorf("reading the request: %w", &memoryError{}), 413},
		{"there is no memory for it now", fmt.Errorf("reading the request: %w", &busyError{}), 429},
		{"there is too much to do", &busyError{}, 429},
		{"there is no such hook", &routeError{http.StatusNotFound, "there is no hook at /x"}, 404},
		{"the content type is none of ours", &mediaTypeError{"a hook takes application/json"}, 415},
		{"the body came too slowly", fmt.Errorf("reading the request: %w", os.ErrDeadlineExceeded), 408},
		{"the client went away", fmt.Errorf("reading the request: %w", io.ErrUnexpectedEOF), 400},
		{"the caller reset the connection", &composite.ReadError{Err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}}, 400},
		{"the connection timed out, and not our deadline", &composite.ReadError{Err: &net.OpError{Op: "read", Err: syscall.ETIMEDOUT}}, 400},
		{"the body is not well-formed in its transfer encoding", &composite.ReadError{Err: errors.New("invalid byte in chunk length")}, 400},
		{"our deadline ends the reading", &composite.ReadError{Err: &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}}, 408},
		{"our limit ends the reading", &composite.ReadError{Err: &http.MaxBytesError{Limit: 5}}, 413},
		{"our memory ends the reading", &composite.ReadError{Err: &busyError{}}, 429},
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
	newHook("memcached", "sync", handle, options, newGate(options)).ServeHTTP(recorder, request)
	return recorder, log.String()
}

// TestResetConnectionIsNoDefect: a caller that goes away while its body is read must not raise the alert about defects.
func TestResetConnectionIsNoDefect(t *testing.T) {
	log := make(logLines, 1)
	server := httptest.NewServer(NewHandler(Options{Controllers: parents.Controllers(memcached.Config{}), Logger: slog.New(slog.NewTextHandler(log, nil))}))
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(connection, "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	if err := connection.(*net.TCPConn).SetLinger(0); err != nil { // close sends a reset
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

// TestRefusalIsRead: whoever is refused before its body is read gets to know why, also if its connection ends there.
func TestRefusalIsRead(t *testing.T) {
	server := httptest.NewServer(NewHandler(Options{
		MaxBodyBytes: 4 << 20,
		Authorize:    func(*http.Request) error { return &callerError{http.StatusUnauthorized, "a caller needs a token"} },
	}))
	defer server.Close()
	for _, test := range []struct {
		reason string
		bytes  int
		closes bool
	}{
		{"a body that is in flight when the answer is known", 100 << 10, true},
		{"more than is read of it", 4 << 20, true},
		{"more than may be sent at all", 8 << 20, true},
		{"a connection that the caller would keep", 8 << 20, false},
	} {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: test.closes}}
		for range 20 { // it is a race, which the caller must win each time
			answer, err := client.Post(server.URL+"/memcached/sync", "application/json", bytes.NewReader(make([]byte, test.bytes)))
			if err != nil {
				t.Fatalf("%s: %v", test.reason, err)
			}
			sentence, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusUnauthorized || string(sentence) != "a caller needs a token\n" {
				t.Errorf("%s: %s %q, %v", test.reason, answer.Status, sentence, err)
			}
		}
	}
}

func TestRequestID(t *testing.T) {
	var log bytes.Buffer
	handler := NewHandler(Options{Controllers: parents.Controllers(memcached.Config{}), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for _, path := range []string{"/nowhere", "/memcached/sync"} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, path, nil))
		id := recorder.Header().Get("X-Request-Id")
		if id == "" || !strings.Contains(log.String(), "request="+id) {
			t.Errorf("a caller cannot point at its line in the log without the request's id: %q, log %s", id, &log)
		}
	}
}
