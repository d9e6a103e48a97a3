//go:build servers

package servers

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// TestProxyHandshakes opens connections that never become TLS, and checks that other clients of the proxy are served meanwhile.
func TestProxyHandshakes(t *testing.T) {
	ours := ca.New()
	servers := addresses(startServers(t, 2))
	s, _, _ := startSecureProxy(t, *required, phaseConfig(moves.Steady, servers, servers), ours)
	hello, seed := clientHello(t, ours), randomSeed()
	t.Logf("-proxy-seed=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var others []net.Conn // on each thread of the proxy
	for range 8 {
		connection, err := dial(s.address, trusting(ours))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		others = append(others, connection)
	}
	for reason, disturb := range map[string]func(*net.TCPConn){
		"a client that sends nothing":                func(*net.TCPConn) {},
		"a part of a handshake":                      func(c *net.TCPConn) { _, _ = c.Write(hello[:len(hello)/2]) },
		"a handshake of single bytes":                func(c *net.TCPConn) { writeSlowly(c, hello) },
		"a client that ends its half of a handshake": func(c *net.TCPConn) { _, _ = c.Write(hello[:40]); _ = c.CloseWrite() },
		"a handshake without its end":                func(c *net.TCPConn) { _, _ = c.Write(hello); _ = c.CloseWrite() },
		"a reset":                                    func(c *net.TCPConn) { _, _ = c.Write(hello[:40]); _ = c.SetLinger(0); _ = c.Close() },
		"a command without TLS":                      func(c *net.TCPConn) { _, _ = io.WriteString(c, "get key\r\n") },
		"a version from 1996":                        func(c *net.TCPConn) { _, _ = c.Write(append([]byte{22, 3, 0}, hello[3:]...)) },
		"a record of the largest size": func(c *net.TCPConn) {
			_, _ = c.Write(append([]byte{22, 3, 1, 0xff, 0xff}, bytes.Repeat([]byte{1}, 0xffff)...))
		},
		"a handshake with wrong bytes": func(c *net.TCPConn) { _, _ = c.Write(mutated(hello, random)) },
		"random bytes":                 func(c *net.TCPConn) { _, _ = c.Write(bytes.Repeat([]byte{0x5a, 0xff, 0, 22}, 1000)) },
	} {
		for range 50 {
			connection, err := net.Dial("tcp", s.address)
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			disturb(connection.(*net.TCPConn))
			for _, other := range others {
				if err := store(other, "key", "value"); err != nil {
					t.Fatalf("%s: another client's connection fails: %v", reason, err)
				}
			}
		}
		start := time.Now()
		for i := range 20 {
			client, err := dial(s.address, trusting(ours))
			if err == nil {
				err = store(client, fmt.Sprint("key", i), "value")
				client.Close()
			}
			if err != nil {
				t.Fatalf("after 50 times %s, a client is not served: %v", reason, err)
			}
		}
		t.Logf("after 50 times %s, 20 clients take %s", reason, time.Since(start))
	}
}

// clientHello returns the first bytes of a handshake.
func clientHello(t *testing.T, issuer *ca.CA) []byte {
	t.Helper()
	ours, theirs := net.Pipe()
	defer theirs.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = tls.Client(ours, trusting(issuer)).HandshakeContext(ctx) }()
	hello := make([]byte, 16<<10)
	n, err := theirs.Read(hello)
	if err != nil {
		t.Fatal(err)
	}
	return hello[:n]
}

// mutated returns a handshake with some other bytes.
func mutated(hello []byte, random *rand.Rand) []byte {
	changed := bytes.Clone(hello)
	for range 1 + random.IntN(8) {
		changed[random.IntN(len(changed))] = byte(random.Uint32())
	}
	return changed
}

// writeSlowly sends the first bytes in packets of their own.
func writeSlowly(connection *net.TCPConn, hello []byte) {
	for i := range 20 {
		_, _ = connection.Write(hello[i : i+1])
	}
}
