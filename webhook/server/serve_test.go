package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

func TestServeDrains(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log := make(logLines, 16)
	config := Config{
		Controllers: parents.Controllers(memcached.Config{}),
		Address:     "127.0.0.1:0", OpsAddress: "127.0.0.1:0",
		ShutdownDelay: 0, ShutdownTimeout: shutdownTimeout, Logger: slog.New(slog.NewTextHandler(log, nil)),
	}
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, config) }()
	started := <-log
	address, ops := attribute(started, " address="), attribute(started, "ops-address=")

	if body := get(t, "http://"+ops+"/readyz"); body != "ok\n" {
		t.Fatalf("GET /readyz returned %q after the start", body)
	}
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	// Half a request is in flight when the drain begins.
	if _, err := io.WriteString(connection, "POST /memcached/sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		return strings.Contains(get(t, "http://"+ops+"/metrics"), `memcached_operator_requests_in_flight{controller="memcached",hook="sync"} 1`)
	})
	stop()
	<-log // draining
	if _, err := io.WriteString(connection, "}"); err != nil {
		t.Fatal(err)
	}
	response, err := io.ReadAll(connection)
	if err != nil || !strings.Contains(string(response), "400 Bad Request") {
		t.Errorf("a request in flight did not finish: %q, %v", response, err)
	}
	if err := <-served; err != nil {
		t.Errorf("the drain: %v", err)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("the server listens after the drain")
	}
}

// TestSlowCallers: a caller must send the headers within readHeaderTimeout, and then the body without pauses. The clock and the connection are
// simulated.
func TestSlowCallers(t *testing.T) {
	const head = "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"
	for _, test := range []struct {
		reason, head string
		eachSecond   string
		timeout      time.Duration
		status       string // of the response, if any
	}{
		{"no request", "", "", readHeaderTimeout, ""},
		{"headers without an end", head + "X-Slow: ", " ", readHeaderTimeout, ""},
		{"a body of which one byte arrives", head + "Content-Length: 67108864\r\n\r\n{\"future\":[0", "", 2 * bodyTimeout, "408 Request Timeout"},
		{"a body of which a byte arrives each second", head + "Content-Length: 67108864\r\n\r\n{\"future\":[0", " ", readTimeout, "408 Request Timeout"},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, connection := net.Pipe()
			listener := make(pipeListener, 1)
			listener <- connection
			server := newServer(NewHandler(Options{Controllers: parents.Controllers(memcached.Config{})}), slog.New(slog.DiscardHandler))
			go func() { _ = serve(server, listener) }()
			defer server.Close()
			began := time.Now()
			var sender sync.WaitGroup
			sender.Go(func() {
				_, err := io.WriteString(client, test.head)
				for err == nil && test.eachSecond != "" {
					time.Sleep(time.Second)
					_, err = io.WriteString(client, test.eachSecond)
				}
			})
			response, err := io.ReadAll(client)
			if took := time.Since(began); took < test.timeout || took > test.timeout+time.Second || err != nil {
				t.Errorf("%s: closed after %s, want %s; %v", test.reason, took, test.timeout, err)
			}
			sender.Wait()
			if status, _, _ := strings.Cut(strings.TrimPrefix(string(response), "HTTP/1.1 "), "\r\n"); status != test.status {
				t.Errorf("%s: got %q, want %q", test.reason, response, test.status)
			}
		})
	}
}

// TestResponseTimeout: a caller must read a response within writeGrace. The clock and the connection are simulated.
func TestResponseTimeout(t *testing.T) {
	for _, test := range []struct {
		reason string
		pause  time.Duration
		read   bool
	}{
		{"a slow reader", writeGrace - time.Second, true},
		{"a reader who is too slow", writeGrace + time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, connection := net.Pipe()
			listener := make(pipeListener, 1)
			listener <- connection
			controllers, _, release := blocked()
			release()
			server := newServer(NewHandler(Options{Controllers: controllers}), slog.New(slog.DiscardHandler))
			go func() { _ = serve(server, listener) }()
			defer server.Close()
			if _, err := io.WriteString(client, strings.Replace(whole, "\r\n", "\r\nConnection: close\r\n", 1)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(test.pause)
			response, err := io.ReadAll(client)
			if got := strings.HasPrefix(string(response), "HTTP/1.1 200 OK"); got != test.read {
				t.Errorf("%s: read %q, %v", test.reason, response, err)
			}
		})
	}
}

// TestStarvedHook checks that a body that has arrived is read, although the hook gets no CPU time for longer than bodyTimeout between
// setting the deadline and reading. The clock and the connection are simulated.
func TestStarvedHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, connection := net.Pipe()
		listener := make(pipeListener, 1)
		listener <- &starvedConnection{Conn: connection}
		server := newServer(NewHandler(Options{Controllers: parents.Controllers(memcached.Config{})}), slog.New(slog.DiscardHandler))
		go func() { _ = serve(server, listener) }()
		defer server.Close()
		var sender sync.WaitGroup
		sender.Go(func() {
			for _, part := range []string{"POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n", "{}"} {
				_, _ = io.WriteString(client, part)
			}
		})
		response, err := io.ReadAll(client)
		sender.Wait()
		if err != nil || !strings.HasPrefix(string(response), "HTTP/1.1 400") || !strings.Contains(string(response), "the request has no parent") {
			t.Errorf("the response is %q with error %v, want 400, because the body was read and has no parent", response, err)
		}
	})
}

// starvedConnection is a connection whose second read, the first one of the body, begins late.
type starvedConnection struct {
	net.Conn
	reads atomic.Int32
}

func (c *starvedConnection) Read(p []byte) (int, error) {
	if c.reads.Add(1) == 2 {
		time.Sleep(bodyTimeout + time.Second)
	}
	return c.Conn.Read(p)
}

// pipeListener accepts the connections that are sent to it.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	connection, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return connection, nil
}

func (l pipeListener) Close() error {
	close(l)
	return nil
}

func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func TestConnectionsCloseDuringDrain(t *testing.T) {
	var draining atomic.Bool
	handler := closeConnections(http.NotFoundHandler(), &draining)
	for _, want := range []string{"", "close"} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/memcached/sync", nil))
		if got := recorder.Header().Get("Connection"); got != want {
			t.Errorf("draining %t: Connection: %q, want %q", draining.Load(), got, want)
		}
		draining.Store(true)
	}
}
