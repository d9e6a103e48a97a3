//go:build servers

package servers

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestProxyCopyOfLargeItems copies servers with items of 900 kB through one proxy, as when all pods of the Job connect to it. The proxy
// needs less than half of its memory limit, so that clients can use the rest.
func TestProxyCopyOfLargeItems(t *testing.T) {
	const pods, items = 8, 60
	from, to := startServers(t, pods, "-m", "160"), startServers(t, pods, "-m", "160")
	filler := dialClient(t, startProxy(t, addresses(from)).address)
	for i := range pods * items {
		filler.must(t, fmt.Sprintf("ms item-%d 900000 q\r\n%s\r\n", i, strings.Repeat("x", 900_000)))
	}
	proxy := startConfigured(t, phaseConfig(moves.Warming, addresses(from), addresses(to)), "-t", "4", "-c", "1124")
	idle, _ := proxy.memory(t)
	var all sync.WaitGroup
	for _, server := range from {
		all.Go(func() {
			if err := copyItems(t.Context(), server.address, proxy.address, 1_000_000); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	_, peak := proxy.memory(t)
	limit := float64(memory.ProxyLimitMiB(sample.Defaulted(v1alpha1.MemcachedSpec{})))
	fmt.Printf("proxy: %d copies of items of 900 kB need %.0f MiB, of which an idle proxy needs %.0f\n", pods, peak, idle)
	if peak > limit/2 {
		t.Errorf("the proxy needs %.0f MiB, more than half of its limit of %.0f MiB", peak, limit)
	}
	var find strings.Builder
	for i := range pods * items {
		fmt.Fprintf(&find, "mg item-%d s\r\n", i)
	}
	if found := countOf(dialClient(t, startProxy(t, addresses(to)).address).must(t, find.String()), "HD s900000"); found != pods*items {
		t.Errorf("%d of %d items are found", found, pods*items)
	}
}
