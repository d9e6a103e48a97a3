package server

import (
	"bufio"
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
	"time"
)

// startLimited starts a server with at most two connections. Its hook sends to entered and waits until release is called.
func startLimited(t *testing.T) (address string, entered chan struct{}, release func()) {
	t.Helper()
	controllers, entered, release := blocked()
	server := newServer(NewHandler(Options{Controllers: controllers}), slog.New(slog.DiscardHandler))
	listener, err := listen(t.Context(), server, "127.0.0.1:0", 2)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = serve(server, listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String(), entered, release
}

// dial connects, sends a text, and returns the connection.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
	return connection
}

const head = "POST /thing/sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"

var whole = fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(thing), thing)

// TestOpeningIsSmall: a caller without an authorized request cannot send any amount, such as certificates. With one it can.
func TestOpeningIsSmall(t *testing.T) {
	for _, next := range []state{opening, transferring} {
		caller, accepted := net.Pipe()
		c := &connection{Conn: accepted, all: &connections{open: map[*connection]struct{}{}}}
		c.enter(next)
		go func() {
			_, _ = io.Copy(caller, io.LimitReader(&repeated{text: "x"}, 2*maxOpenedBytes))
			_ = caller.Close()
		}()
		n, err := io.Copy(io.Discard, c)
		_ = c.Close()
		if ended := err != nil; ended != (next == opening) || n < maxOpenedBytes/2 {
			t.Errorf("state %d: ended after %d bytes with %v", next, n, err)
		}
	}
}

// TestUnreadResponse: the kernel keeps little of a response that its caller does not read.
func TestUnreadResponse(t *testing.T) {
	listener, err := listen(t.Context(), new(http.Server), "127.0.0.1:0", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	caller := dial(t, listener.Addr().String(), "")
	if err := caller.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = accepted.Close() }()
	if err := accepted.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	kept, err := io.Copy(accepted, io.LimitReader(&repeated{text: "x"}, 64<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) || kept > 8*unreadBytes {
		t.Errorf("the kernel keeps %d bytes: %v", kept, err)
	}
}

// TestConnectionLimit: callers without a whole request lose their connections to those who send one. A request is never ended.
func TestConnectionLimit(t *testing.T) {
	for _, unfinished := range []string{head + "X-Slow: ", head + "Content-Length: 9\r\n\r\n{"} {
		testConnectionLimit(t, unfinished)
	}
}

func testConnectionLimit(t *testing.T, text string) {
	t.Helper()
	address, entered, release := startLimited(t)
	request := dial(t, address, whole)
	<-entered
	unfinished := dial(t, address, text)
	for i := range 20 {
		next := dial(t, address, text)
		if rest, err := io.ReadAll(unfinished); len(rest) > 0 || isTimeout(err) {
			t.Fatalf("connection %d did not replace the one before: %q, %v", i, rest, err)
		}
		unfinished = next
	}
	second := dial(t, address, strings.Replace(whole, "/sync", "/customize", 1)) // does not wait for the first
	<-entered
	if rest, err := io.ReadAll(dial(t, address, "")); len(rest) > 0 || isTimeout(err) {
		t.Errorf("both connections serve requests, but a third one was not closed: %q, %v", rest, err)
	}
	release()
	for _, connection := range []net.Conn{request, second} {
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("a request was ended by other connections: %v, %v", response, err)
			continue
		}
		response.Body.Close()
	}
}

// TestIdleConnectionIsReplacedLast: a connection whose caller has sent a request is kept while others have sent nothing.
func TestIdleConnectionIsReplacedLast(t *testing.T) {
	address, entered, release := startLimited(t)
	release()
	idle := dial(t, address, whole)
	reader := bufio.NewReader(idle)
	for i := range 4 {
		<-entered
		response, err := http.ReadResponse(reader, nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("request %d over the same connection got %v, %v", i, response, err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		dial(t, address, head)
		dial(t, address, head)
		if _, err := io.WriteString(idle, whole); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRefusedConnectionIsReplacedFirst: net/http keeps the connection of a refused request for half a second if its body is large, but reads no other one.
func TestRefusedConnectionIsReplacedFirst(t *testing.T) {
	address, entered, release := startLimited(t)
	release()
	go func() {
		for range entered {
		}
	}()
	idle := dial(t, address, whole)
	reader := bufio.NewReader(idle)
	wantStatus(t, reader, http.StatusOK)
	refused := dial(t, address, strings.Replace(head, "json", "xml", 1)+"Content-Length: 1000000\r\n\r\n{")
	wantStatus(t, bufio.NewReader(refused), http.StatusUnsupportedMediaType)
	wantStatus(t, bufio.NewReader(dial(t, address, whole)), http.StatusOK)
	if _, err := io.WriteString(idle, whole); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, reader, http.StatusOK)
}

func wantStatus(t *testing.T, reader *bufio.Reader, want int) {
	t.Helper()
	response, err := http.ReadResponse(reader, nil)
	if err != nil || response.StatusCode != want {
		t.Fatalf("%v, %v; want the status code %d", response, err, want)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	response.Body.Close()
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error) //nolint:errorlint // a connection returns it unwrapped
	return ok && timeout.Timeout()
}

// TestStrangersGetOneResponse: thousands of requests over one connection, which need no credentials, must not delay others.
func TestStrangersGetOneResponse(t *testing.T) {
	address, _, release := startLimited(t)
	release()
	for _, request := range []string{"OPTIONS *", "GET /other", "GET /thing/sync"} {
		responses, err := io.ReadAll(dial(t, address, strings.Repeat(request+" HTTP/1.1\r\nHost: hook\r\n\r\n", 3)))
		if err != nil || strings.Count(string(responses), "HTTP/1.1 40") != 1 {
			t.Errorf("%s: %v and the responses %q, want one", request, err, responses)
		}
	}
}

// TestManyHeaders: 4 KiB of short headers take more than 100 KiB of each connection.
func TestManyHeaders(t *testing.T) {
	address, _, release := startLimited(t)
	release()
	for lines, want := range map[int]string{700: "HTTP/1.1 405 ", 1100: "HTTP/1.1 431 "} {
		connection := dial(t, address, "GET /thing/sync HTTP/1.1\r\nHost: hook\r\n"+strings.Repeat("a:\r\n", lines)+"\r\n")
		if status, err := bufio.NewReader(connection).ReadString('\n'); err != nil || !strings.HasPrefix(status, want) {
			t.Errorf("%d headers: %q, %v; want %s", lines, status, err, want)
		}
	}
}

// TestHeadersAreDropped: a request must not keep headers that no handler reads while it waits for its body.
func TestHeadersAreDropped(t *testing.T) {
	var seen http.Header
	handler := dropHeaders(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
	request := httptest.NewRequest(http.MethodPost, "/", nil)
	request.Header = http.Header{"A": {""}, "Content-Type": {"application/json"}, "User-Agent": {"x"}}
	handler.ServeHTTP(httptest.NewRecorder(), request)
	if len(seen) != 1 || seen.Get("Content-Type") == "" || len(request.Header) != 1 {
		t.Errorf("the handler sees %v, and the request keeps %v; want Content-Type only", seen, request.Header)
	}
}
