//go:build servers

package servers

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestProxyMemoryStaysUnderTheLimit opens connections to a proxy, and sends a command over each of them at the same time, as happens
// when a server does not respond for a moment. The memory usage must stay below the limit that follows from the number of connections.
//
//	MEMCACHED=/path/to/memcached go test -tags servers -v -run ProxyMemory ./test/servers
func TestProxyMemoryStaysUnderTheLimit(t *testing.T) {
	servers := startServers(t, 3)
	t.Logf("%-8s %12s %8s %10s %8s %16s %8s", "phase", "connections", "idle", "used once", "peak", "each connection", "limit")
	for _, phase := range []moves.ProxyPhase{"", moves.Warming} {
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
			limit := memory.ProxyLimitMiB(sample.Defaulted(v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MaxConnections: new(int64(connections))}}))
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

// TestProxyMemoryOfPipelines sends 20 commands at once over each of 1,000 connections, for the same key: the proxy has a command under way for
// each of them. The page has the peaks.
func TestProxyMemoryOfPipelines(t *testing.T) {
	for _, test := range []struct {
		phase   moves.ProxyPhase
		peakMiB float64
	}{{"", 120}, {moves.Announcing, 360}, {moves.Warming, 530}} {
		servers := addresses(startServers(t, 4))
		proxy := startConfigured(t, phaseConfig(test.phase, servers[:2], servers[2:]), "-t", "4", "-c", "1100")
		var group sync.WaitGroup
		for i, client := range openIdle(t, proxy.address, 1000) {
			group.Go(func() { pipeline(t, client, fmt.Sprint("key", i)) })
		}
		group.Wait()
		_, peak := proxy.memory(t)
		t.Logf("%-10s %4.0f MiB for 1,000 connections that pipeline", test.phase, peak)
		if peak > 1.3*test.peakMiB {
			t.Errorf("in phase %q, a proxy whose clients pipeline used %.0f MiB, but the page says %.0f MiB", test.phase, peak, test.peakMiB)
		}
	}
}

// pipeline sends 10 set and 10 get of 1 kB at once, and reads the responses.
func pipeline(t *testing.T, c *client, key string) {
	t.Helper()
	value := strings.Repeat("x", 1000)
	commands := strings.Repeat(fmt.Sprintf("set %s 0 0 1000\r\n%s\r\nget %s\r\n", key, value, key), 10)
	go func() { _, _ = io.WriteString(c.connection, commands) }() // the proxy may not read all before the client reads
	_ = c.connection.SetReadDeadline(time.Now().Add(2 * time.Minute))
	for end := 0; end < 10; {
		line, err := c.reader.ReadString('\n')
		if err != nil {
			t.Errorf("a client that pipelines: after %d get: %v", end, err)
			return
		}
		if line == "END\r\n" {
			end++
		}
	}
}

// TestProxyMemoryOfLargeValues stores values of 1 MB during a change, after a burst of small commands: Lua counts the memory of those, but not of values.
func TestProxyMemoryOfLargeValues(t *testing.T) {
	const maxMiB = 128 // of the default limit of 255 MiB
	for _, phase := range []moves.ProxyPhase{moves.Announcing, moves.Preparing, moves.Warming, moves.Closing} {
		servers := addresses(startServers(t, 3))
		proxy := startConfigured(t, phaseConfig(phase, servers[:2], servers), "-t", "4", "-c", "1100")
		exchange(t, openIdle(t, proxy.address, 300), "small", "set", 1, 1)
		var group sync.WaitGroup
		for i, client := range openIdle(t, proxy.address, 4) {
			group.Go(func() { storeLarge(t, client, fmt.Sprint("large", i), 200) })
		}
		group.Wait()
		if _, peak := proxy.memory(t); peak > maxMiB {
			t.Errorf("in phase %q, a proxy that stores values of 1 MB used %.0f MiB, more than %d MiB", phase, peak, maxMiB)
		}
	}
}

// storeLarge stores a value of 1 MB again and again.
func storeLarge(t *testing.T, c *client, key string, times int) {
	t.Helper()
	command := fmt.Sprintf("set %s 0 0 1000000\r\n%s\r\n", key, strings.Repeat("x", 1_000_000))
	for range times {
		if _, err := io.WriteString(c.connection, command); err != nil {
			t.Errorf("storing a value: %v", err)
			return
		}
		if got, err := c.next(); err != nil || got.line != "STORED" {
			t.Errorf("storing a value: %v %q", err, got.line)
			return
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
