//go:build servers

package servers

import (
	"bufio"
	"crypto/tls"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestProxyMemoryWithTLS opens connections to a proxy at the same time, as happens after a rollout, and then sends commands over each of them. The
// memory usage must stay below the limit that follows from the number of connections.
func TestProxyMemoryWithTLS(t *testing.T) {
	ours := ca.New()
	servers := addresses(startServers(t, 3))
	t.Logf("%-8s %-8s %12s %8s %8s %8s %8s", "clients", "phase", "connections", "idle", "1 kB", "100 kB", "limit")
	for _, test := range []struct {
		clientAuth  v1alpha1.ClientAuth
		phase       moves.ProxyPhase
		connections int
	}{
		{v1alpha1.ClientAuthNone, moves.Warming, 1000},
		{v1alpha1.ClientAuthRequire, moves.Steady, 1000},
		{v1alpha1.ClientAuthRequire, moves.Warming, 1000},
		{v1alpha1.ClientAuthRequire, moves.Warming, 4000},
	} {
		settings := &v1alpha1.TLS{SecretName: "certificate", ClientAuth: test.clientAuth}
		args := append(tlsArgs(t, settings, ours), "-t", "4", "-c", strconv.Itoa(test.connections+100))
		proxy := startConfigured(t, phaseConfig(test.phase, servers[:2], servers), args...)
		clients := connectSecurely(t, proxy.address, test.connections, trusting(ours))
		_, handshakes := proxy.memory(t)
		exchange(t, clients, "key", "set", 2, 1000)
		exchange(t, clients, "key", "get", 2, 1000)
		_, small := proxy.memory(t)
		exchange(t, clients[:100], "large", "set", 2, 100_000)
		exchange(t, clients[:100], "large", "get", 2, 100_000)
		_, peak := proxy.memory(t)
		limit := memory.ProxyLimitMiB(sample.Defaulted(v1alpha1.MemcachedSpec{TLS: settings, Cache: v1alpha1.Cache{MaxConnections: new(int64(test.connections))}}))
		t.Logf("%-8s %-8s %12d %4.0f MiB %4.0f MiB %4.0f MiB %4d MiB", test.clientAuth, test.phase, test.connections, handshakes, small, peak, limit)
		if peak > float64(limit) {
			t.Errorf("a proxy with %d connections used %.0f MiB, more than its limit of %d MiB", test.connections, peak, limit)
		}
		for _, client := range clients {
			client.connection.Close()
		}
	}
}

// connectSecurely opens connections at the same time.
func connectSecurely(t testing.TB, address string, number int, config *tls.Config) []*client {
	t.Helper()
	clients := make([]*client, number)
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: 2 * time.Minute}, Config: config} // all handshakes at the same time take a while
			connection, err := dialer.DialContext(t.Context(), "tcp", address)
			if err != nil {
				t.Errorf("opening connection %d: %v", i, err)
				return
			}
			t.Cleanup(func() { connection.Close() })
			clients[i] = &client{connection: connection, reader: bufio.NewReaderSize(connection, 1<<10)}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return clients
}
