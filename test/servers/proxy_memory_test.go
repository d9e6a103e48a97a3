//go:build servers

package servers

import (
	"bufio"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

// TestProxyMemoryStaysUnderTheLimit opens connections to a proxy, and sends a command over each of them at the same time, as happens
// when a server does not respond for a moment. The memory usage must stay below the limit that follows from the number of connections.
//
//	MEMCACHED=/path/to/memcached go test -tags servers -v -run ProxyMemory ./test/servers
func TestProxyMemoryStaysUnderTheLimit(t *testing.T) {
	servers := startServers(t, 3)
	t.Logf("%-8s %12s %8s %10s %8s %16s %8s", "phase", "connections", "idle", "used once", "peak", "each connection", "limit")
	for _, phase := range []scaling.Phase{"", scaling.Warming} {
		for _, connections := range []int{1_000, 10_000} {
			proxy := startConfigured(t, phaseConfig(phase, addresses(servers)[:2], addresses(servers)), "-t", "4", "-c", strconv.Itoa(connections+100))
			before, _ := proxy.memory(t)
			clients := openIdle(t, proxy.address, connections)
			idle, _ := proxy.memory(t)
			for _, client := range clients { // one after the other
				client.must(t, "")
			}
			used, _ := proxy.memory(t)
			exchange(t, clients, "key", "set", 2, 1000)
			exchange(t, clients, "key", "get", 2, 1000)
			_, peak := proxy.memory(t)
			limit := memory.ProxyLimitMiB(int64(connections))
			t.Logf("%-8s %12d %4.0f MiB %6.0f MiB %4.0f MiB %12.1f KiB %4d MiB", phase, connections, idle, used, peak, (peak-before)*1024/float64(connections), limit)
			if peak > float64(limit) {
				t.Errorf("a proxy with %d connections used %.0f MiB, more than its limit of %d MiB", connections, peak, limit)
			}
			for _, client := range clients {
				client.connection.Close()
			}
		}
	}
}

// openIdle opens connections with small buffers on the side of the clients.
func openIdle(t *testing.T, address string, number int) []*client {
	t.Helper()
	clients := make([]*client, number)
	for i := range clients {
		connection, err := net.DialTimeout("tcp", address, 20*time.Second)
		if err != nil {
			t.Fatalf("opening connection %d: %v", i, err)
		}
		t.Cleanup(func() { connection.Close() })
		clients[i] = &client{connection: connection, reader: bufio.NewReaderSize(connection, 1<<10)}
	}
	return clients
}
