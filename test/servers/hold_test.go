//go:build servers

package servers

import (
	"context"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHold checks when the preStop hook of a server ends. While a client is connected, nothing else ends it.
func TestHold(t *testing.T) {
	cases := []struct {
		reason string
		grace  time.Duration
		change func(*testing.T, held, net.Conn)
		want   string
	}{
		{"the client disconnects", 0, func(_ *testing.T, _ held, client net.Conn) { client.Close() }, "no client is connected"},
		{"the kubelet probes the port all the time", 0, func(t *testing.T, h held, client net.Conn) {
			client.Close()
			go func() {
				for range time.Tick(10 * time.Millisecond) {
					if t.Context().Err() != nil {
						return
					}
					if probe, err := remote.Dial("tcp", h.address); err == nil {
						probe.Close()
					}
				}
			}()
		}, "no client is connected"},
		{"memcached hangs", 0, func(t *testing.T, h held, _ net.Conn) { h.signal(t, syscall.SIGSTOP) }, "memcached does not respond"},
		{"memcached ends", 0, func(t *testing.T, h held, _ net.Conn) { h.signal(t, syscall.SIGKILL) }, "memcached does not respond"},
		{"the grace period ends", 10 * time.Second, func(*testing.T, held, net.Conn) {}, "the grace period ends"},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			h := startHeld(t, test.grace, func(held) {})
			client, _ := h.connect(t)
			ended := h.hold(t.Context(), t)
			select {
			case reason := <-ended:
				t.Fatalf("the hook ends with a client: %s", reason)
			case <-time.After(4 * time.Second): // longer than without a client
			}
			test.change(t, h, client)
			select {
			case reason := <-ended:
				if !strings.HasPrefix(reason, test.want) {
					t.Errorf("the hook ends: %s, want %s", reason, test.want)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the hook does not end")
			}
		})
	}
}

// TestHoldFullTable checks that a memcached with as many connections as it accepts is alive and in use, also for a sidecar that starts later.
func TestHoldFullTable(t *testing.T) {
	t.Parallel()
	var clients []net.Conn
	h := startHeld(t, 0, func(h held) { clients = h.fill(t) })
	ended := h.hold(t.Context(), t)
	select {
	case reason := <-ended:
		t.Fatalf("the hook ends although all connections are in use: %s", reason)
	case <-time.After(6 * time.Second): // longer than without a client, or without a response
	}
	for _, each := range clients {
		each.Close()
	}
	select {
	case reason := <-ended:
		if !strings.HasPrefix(reason, "no client is connected") {
			t.Errorf("the hook ends: %s", reason)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the hook does not end")
	}
}

// TestHoldAgain checks that a kubelet that restarts can call the hook again, and that the earlier request ends.
func TestHoldAgain(t *testing.T) {
	t.Parallel()
	h := startHeld(t, 0, func(held) {})
	client, _ := h.connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.hold(ctx, t)
	again := h.hold(t.Context(), t)
	cancel()
	if line := <-h.log; !strings.Contains(line, "the kubelet cancelled the request") {
		t.Errorf("the first request ends: %s", line)
	}
	client.Close()
	if reason := <-again; !strings.HasPrefix(reason, "no client is connected") {
		t.Errorf("the second request ends: %s", reason)
	}
}

// TestAlive checks the liveness probe of a memcached that hangs and continues.
func TestAlive(t *testing.T) {
	t.Parallel()
	h := startHeld(t, 0, func(held) {})
	h.signal(t, syscall.SIGSTOP)
	h.awaitAlive(t, http.StatusServiceUnavailable)
	h.signal(t, syscall.SIGCONT)
	h.awaitAlive(t, http.StatusOK)
}
