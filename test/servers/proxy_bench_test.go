//go:build servers

package servers

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
)

// BenchmarkProxy compares commands through a proxy with commands to its servers over direct connections, and prints ratios.
// The two take turns, so that other load on the machine affects both. It also prints the memory of a proxy.
//
//	MEMCACHED=/path/to/memcached go test -tags servers ./test/servers -run '^$' -bench Proxy -benchtime 1x -v
func BenchmarkProxy(b *testing.B) {
	servers := startServers(b, 3)
	for range b.N {
		b.Logf("%-28s %8s %12s %12s %14s", "commands, connections", "threads", "throughput", "p99", "CPU of proxy")
		for _, threads := range []string{"1", "2", "4"} {
			proxy := startProxy(b, addresses(servers), "-t", threads)
			for _, connections := range []int{1, 16, 100} {
				for _, command := range []string{"get", "set"} {
					compareWithDirect(b, servers, proxy, threads, connections, command)
				}
			}
		}
		for _, threads := range []string{"1", "2", "4"} {
			proxy := startProxy(b, addresses(servers), "-t", threads, "-c", "4096")
			idle, _ := proxy.memory(b)
			clients := connectAll(b, []string{proxy.address}, 1000)
			connected, _ := proxy.memory(b)
			exchange(b, clients, "key", "set", 20, 1000)
			exchange(b, clients, "key", "get", 20, 1000)
			_, small := proxy.memory(b)
			exchange(b, clients, "key", "set", 2, 100_000)
			_, large := proxy.memory(b)
			b.Logf("memory with %s threads: idle %.0f MiB, 1,000 connections %.0f MiB, after 1,000 concurrent commands of 1 kB %.0f MiB, of 100 kB %.0f MiB (peak)",
				threads, idle, connected, small, large)
		}
	}
}

// compareWithDirect prints the ratios of rounds through the proxy to rounds over direct connections.
func compareWithDirect(b *testing.B, servers []server, proxy server, threads string, connections int, command string) {
	b.Helper()
	compare(b, threads, connectAll(b, addresses(servers), connections), connectAll(b, []string{proxy.address}, connections), proxy, command, 500)
}

// compare prints the ratios of rounds over connections to a proxy to rounds over other connections.
func compare(b *testing.B, threads string, direct, proxied []*client, proxy server, command string, bytes int) {
	b.Helper()
	connections := len(direct)
	each := max(min(20_000, 50_000_000/bytes)/connections, 20) // all values fit into the servers
	exchange(b, proxied, "key", "set", each, bytes)
	exchange(b, direct, "key", "set", each, bytes)
	var took [2]time.Duration
	var latencies [2][]time.Duration
	before := proxy.cpu(b)
	for range 3 {
		for i, clients := range [][]*client{direct, proxied} {
			start := time.Now()
			latencies[i] = append(latencies[i], exchange(b, clients, "key", command, each, bytes)...)
			took[i] += time.Since(start)
		}
	}
	used := (proxy.cpu(b) - before) / time.Duration(3*each*connections)
	b.Logf("%-28s %8s %11.2fx %11.2fx %11s/op  (direct: %.0f/s, p99 %s)", fmt.Sprintf("%s, %d", command, connections), threads,
		float64(took[0])/float64(took[1]), float64(p99(latencies[1]))/float64(p99(latencies[0])), used,
		float64(len(latencies[0]))/took[0].Seconds(), p99(latencies[0]))
	for _, c := range append(direct, proxied...) {
		c.connection.Close()
	}
}

// BenchmarkLargeValues compares a proxy with direct connections for values such as the chunks of Loki and Mimir. Divide the bytes by the CPU
// time to get what a core of proxies carries.
//
//	MEMCACHED=/path/to/memcached go test -tags servers ./test/servers -run '^$' -bench LargeValues -benchtime 1x -v
func BenchmarkLargeValues(b *testing.B) {
	servers := startServers(b, 3)
	proxy := startProxy(b, addresses(servers), "-t", "4")
	for range b.N {
		for _, bytes := range []int{100_000, 500_000, 1_000_000} {
			b.Logf("%d bytes: throughput, p99, CPU of proxy", bytes)
			compare(b, "4", connectAll(b, addresses(servers), 4), connectAll(b, []string{proxy.address}, 4), proxy, "get", bytes)
		}
	}
}

// BenchmarkProxyTLS compares a proxy with TLS with one without.
//
//	MEMCACHED=/path/to/memcached go test -tags servers ./test/servers -run '^$' -bench ProxyTLS -benchtime 1x -v
func BenchmarkProxyTLS(b *testing.B) {
	ours, servers := ca.New(), addresses(startServers(b, 3))
	plain, secured := startProxy(b, servers, "-t", "4"), startProxy(b, servers, append(tlsArgs(b, required, ours), "-t", "4")...)
	for range b.N {
		b.Logf("%-28s %8s %12s %12s %14s", "commands, connections", "threads", "throughput", "p99", "CPU of proxy")
		for _, bytes := range []int{500, 100_000} {
			for _, connections := range []int{1, 16} {
				connect := func() (without, with []*client) {
					return connectAll(b, []string{plain.address}, connections), connectSecurely(b, secured.address, connections, trusting(ours))
				}
				b.Logf("%d bytes, first TLS beside plain, then plain beside TLS", bytes)
				without, with := connect()
				compare(b, "4", without, with, secured, "get", bytes)
				without, with = connect()
				compare(b, "4", with, without, plain, "get", bytes)
			}
		}
	}
}

// connectAll opens connections, to all addresses alike.
func connectAll(b *testing.B, to []string, n int) []*client {
	b.Helper()
	var all []*client
	for i := range n {
		all = append(all, dialClient(b, to[i%len(to)]))
	}
	return all
}

// exchange sends commands for keys of their own over all connections at the same time, each after the response to the last one, and returns how
// long each took.
func exchange(b testing.TB, clients []*client, key, command string, each, bytes int) []time.Duration {
	b.Helper()
	value := strings.Repeat("x", bytes)
	all := make([][]time.Duration, len(clients))
	var group sync.WaitGroup
	for i, c := range clients {
		group.Go(func() {
			for n := range each {
				line := fmt.Sprintf("mg %s-%d-%d v\r\n", key, i, n)
				if command == "set" {
					line = fmt.Sprintf("ms %s-%d-%d %d T300\r\n%s\r\n", key, i, n, bytes, value)
				}
				start := time.Now()
				_, err := c.connection.Write([]byte(line))
				var got response
				if err == nil {
					got, err = c.next()
				}
				if err != nil || strings.Contains(got.line, "ERROR") {
					b.Errorf("%.60q: %v %q", line, err, got.line)
					return
				}
				all[i] = append(all[i], time.Since(start))
			}
		})
	}
	group.Wait()
	return slices.Concat(all...)
}

func p99(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)*99/100]
}

// cpu returns the CPU time of a process.
func (s server) cpu(t testing.TB) time.Duration {
	t.Helper()
	used, err := s.CPU()
	if err != nil {
		t.Fatal(err)
	}
	return used
}
