//go:build faults

package faults

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// TestSlowCallers opens connections that send one byte a second, and checks that the program closes them and meanwhile serves
// valid requests. It alternates between valid requests with and without these connections, so that other load on the machine
// affects both.
func TestSlowCallers(t *testing.T) {
	const head = "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"
	for _, test := range []struct {
		name, head  string
		connections int
		limit       time.Duration
	}{
		{"headers", head + "X-Slow: ", 200, 5 * time.Second},
		{"bodies", head + "Content-Length: 67108864\r\n\r\n{", 50, 13 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t)
			rounds := 2
			if *long {
				rounds = 5
			}
			base, during := newClient(new(http.Transport)), newClient(new(http.Transport))
			var slowest time.Duration
			for range rounds {
				probe(t, p, base)
				closed := make(chan time.Duration, test.connections)
				for range test.connections {
					go func() { closed <- sendSlowly(p.address, test.head, 2*test.limit) }()
				}
				probe(t, p, during)
				for range test.connections {
					slowest = max(slowest, <-closed)
				}
			}
			before, meanwhile := base.percentile(0.99), during.percentile(0.99)
			t.Logf("%d connections, the last one was closed after %.2f s; valid requests: p99 %.1f ms, without them %.1f ms (%.2f×), %d in total",
				test.connections, slowest.Seconds(), meanwhile, before, meanwhile/before, len(base.took)+len(during.took))
			if slowest > test.limit {
				t.Errorf("the last connection was closed after %s, want %s", slowest, test.limit)
			}
			if meanwhile > 2*before {
				t.Error("valid requests take more than twice as long")
			}
			base.wantOnly(t, 200)
			during.wantOnly(t, 200)
		})
	}
}

// probe sends valid requests for 5 s, at a rate that leaves the program idle most of the time.
func probe(t *testing.T, p *program, c *client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	body := requests.Sync(3)
	loop(ctx, 2, func(int) {
		c.post(p.url(), body)
		pause(ctx, 4*time.Millisecond)
	})()
}

// sendSlowly sends head, then a byte every second, and returns the time until the program closes the connection, at most
// timeout.
func sendSlowly(address, head string, timeout time.Duration) time.Duration {
	began := time.Now()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return timeout
	}
	defer connection.Close()
	if err := connection.SetDeadline(began.Add(timeout)); err != nil {
		return timeout
	}
	go func() {
		for _, err := io.WriteString(connection, head); err == nil; _, err = io.WriteString(connection, " ") {
			time.Sleep(time.Second)
		}
	}()
	_, _ = io.Copy(io.Discard, connection) // until the close, or the deadline
	return time.Since(began)
}
