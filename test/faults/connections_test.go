//go:build faults

package faults

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/requests"
)

// TestConnections opens many connections that never become a request. Meanwhile each sync, over connections of its own, must get a
// 200 within a second, and the program must use less than half of the memory limit of the pod. A caller whose connection is closed
// connects again, as Metacontroller does.
func TestConnections(t *testing.T) {
	const (
		patience  = time.Second
		post      = "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"
		oneByte   = post + "Content-Length: 67108864\r\n\r\n{"
		unchunked = post + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
	)
	longHeaders := post + strings.Repeat("X-Long: "+strings.Repeat("a", 1000)+"\r\n", 60)
	shortHeaders := ""
	for i := 0; len(post)+len(shortHeaders) < 4050; i++ { // the memory of each header is 30 times its size
		shortHeaders += strconv.FormatInt(int64(i), 36) + ":\n"
	}
	for _, test := range []struct {
		name        string
		connections int
		send        string
		encrypted   bool
		ops         bool
	}{
		{"unfinished headers", 5000, longHeaders, false, false},
		{"unfinished headers of the ops port", 5000, longHeaders, false, true},
		{"many unfinished headers", 1500, post + shortHeaders, false, false},
		{"many unfinished headers of the ops port", 1500, post + shortHeaders, false, true},
		{"many headers, with one byte of a body", 1500, post + "Content-Length: 100\r\n" + shortHeaders + "\n{", false, false},
		{"TLS with many unfinished headers", 1500, post + shortHeaders, true, false},
		{"TLS without a request", 1500, "", true, false},
		{"TLS with unfinished headers", 1500, longHeaders, true, false},
		{"TLS without a token, with one byte of a body", 600, oneByte, true, false},
		{"two bodies of which one byte arrives", 2, oneByte, false, false},
		{"50 bodies of which one byte arrives", 50, oneByte, false, false},
		{"50 bodies of unknown length", 50, unchunked, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, url, valid, dial := startFor(t, test.encrypted)
			address := p.address
			if test.ops {
				address = p.ops
			}
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			defer cancel()
			var opened atomic.Int64
			wait := loop(ctx, test.connections, func(int) {
				if connection, err := dial(ctx, address); err == nil {
					opened.Add(1)
					stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
					_, _ = io.WriteString(connection, test.send)
					_, _ = io.Copy(io.Discard, connection) // until the program closes it
					stop()
					_ = connection.Close()
				}
				pause(ctx, 2*time.Second)
			})
			body := requests.Sync(3)
			var slowest time.Duration
			for ctx.Err() == nil {
				began := time.Now()
				valid.sync(t.Context(), func() string { return url }, body)
				slowest = max(slowest, time.Since(began))
				pause(ctx, 20*time.Millisecond)
			}
			wait()
			_, peak := p.memory(t)
			t.Logf("%d connections at a time, %d in all: %d syncs, %d of them repeated, p50 %.1f ms, slowest %d ms; peak %.0f MiB",
				test.connections, opened.Load(), valid.done, valid.retried, valid.percentile(0.5), slowest.Milliseconds(), peak)
			valid.wantOnly(t, 200, 0)
			if slowest > patience || valid.lost > 0 {
				t.Errorf("a sync took %s, %d were lost", slowest, valid.lost)
			}
			if valid.retried*100 > valid.done {
				t.Errorf("%d of %d syncs needed a second connection", valid.retried, valid.done)
			}
			if peak > maxMiB {
				t.Errorf("the peak of %.0f MiB is above half of the pod's limit", peak)
			}
		})
	}
}

// startFor starts the program, with TLS, a client CA and tokens or without. It returns its URL, a client that opens a connection for
// each request, and a function that connects.
func startFor(t *testing.T, encrypted bool) (*program, string, *client, func(context.Context, string) (net.Conn, error)) {
	t.Helper()
	if !encrypted {
		p := start(t)
		return p, p.url(), newClient(&http.Transport{DisableKeepAlives: true}), func(ctx context.Context, address string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		}
	}
	dir, issuer := t.TempDir(), ca.New()
	certificate, key := issuer.Issue(ca.Subject{CommonName: "hook"})
	p := start(t,
		"--tls-cert="+ca.Write(dir, "tls.crt", certificate), "--tls-key="+ca.Write(dir, "tls.key", key),
		"--client-ca="+ca.Write(dir, "ca.crt", issuer.PEM()), "--token-file="+ca.Write(dir, "token", []byte("token\n")))
	c := newClient(&http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		RootCAs: issuer.Pool(), Certificates: []tls.Certificate{issuer.Certificate(ca.Subject{CommonName: "metacontroller"})},
	}})
	c.token = func() string { return "token" }
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: issuer.Pool(), Certificates: c.http.Transport.(*http.Transport).TLSClientConfig.Certificates}}
	return p, "https://" + p.address, c, func(ctx context.Context, address string) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp", address)
	}
}
