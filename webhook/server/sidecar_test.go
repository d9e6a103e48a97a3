package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSidecarKeepsServing opens thousands of connections that never become a request, or that stay idle after one. Each probe must
// succeed in the second that the kubelet waits, the call of a preStop hook must not end, and few connections may stay open.
func TestSidecarKeepsServing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	held, release := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /alive", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /hold", func(http.ResponseWriter, *http.Request) {
		close(held)
		<-release
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	served := make(chan error, 1)
	go func() { served <- ServeSidecar(ctx, address, mux, slog.New(slog.DiscardHandler)) }()
	waitFor(t, func() bool {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
		}
		return err == nil
	})
	holds := make(chan error, 1)
	go func() {
		holds <- ask(http.DefaultClient, address, "/hold")
	}()
	<-held

	var open atomic.Int64
	for i := range 3000 {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		_, _ = io.WriteString(connection, []string{
			"", "GET /alive HTTP/1.1\r\nX-Long: " + strings.Repeat("a", 3000), "GET /alive HTTP/1.1\r\nHost: pod\r\n\r\n",
		}[i%3])
		open.Add(1)
		go func() {
			_, _ = io.Copy(io.Discard, connection)
			open.Add(-1)
		}()
		if i%300 == 0 {
			probe(t, address)
		}
	}
	waitFor(t, func() bool { return open.Load() <= maxSidecarConnections })
	probe(t, address)
	close(release)
	if err := <-holds; err != nil {
		t.Errorf("the hold: %v", err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestBodiesDoNotDelayScrapes sends as many requests for metrics as there may be at the same time, all with bodies that never arrive.
func TestBodiesDoNotDelayScrapes(t *testing.T) {
	server := httptest.NewServer(keepWorking(newOpsHandler(NewMetrics("test"), new(atomic.Bool))))
	defer server.Close()
	address := server.Listener.Addr().String()
	for range maxScrapes {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(connection, "GET /metrics HTTP/1.1\r\nHost: pod\r\nContent-Length: 10\r\n\r\n")
		response, err := io.ReadAll(connection)
		if err != nil || !strings.HasPrefix(string(response), "HTTP/1.1 413 ") {
			t.Errorf("a request whose body does not arrive: %q, %v; want 413 and the end of the connection", response, err)
		}
	}
	if err := ask(http.DefaultClient, address, "/metrics"); err != nil {
		t.Errorf("a scrape: %v", err)
	}
}

func probe(t *testing.T, address string) {
	t.Helper()
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	began := time.Now()
	if err := ask(&client, address, "/alive"); err != nil {
		t.Errorf("a probe after %s: %v", time.Since(began), err)
	}
}

func ask(client *http.Client, address, path string) error {
	response, err := client.Get("http://" + address + path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
