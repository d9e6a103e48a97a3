//go:build servers

package servers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// TestProxyResize changes the number of servers from four to three and back under load, with rolling updates of two proxies. Then the place of
// the first server moves to a spare and back, again to the spare, and all places to other servers.
// No item is lost, and no client reads an old value or gets an error. Without a warm-up, proxies of both sizes follow each other.
//
// Servers that get items have none of their keys: nothing is left there by an earlier change, and a server that a change removes starts
// again, empty.
func TestProxyResize(t *testing.T) {
	for _, warm := range []bool{true, false} {
		name := map[bool]string{true: "with a warm-up", false: "without a warm-up"}[warm]
		t.Run(name, func(t *testing.T) {
			servers := startServers(t, 5)
			four, spare := addresses(servers)[:4], slices.Concat(addresses(servers)[4:], addresses(servers)[1:4])
			others := addresses(startServers(t, 4))
			three := four[:3]
			d := &proxyDeployment{T: t, load: &load{to: &endpoints{}}}
			for i := range 300 {
				d.keys = append(d.keys, &loaded{name: fmt.Sprint("item-", i)})
			}
			d.rollout(phaseConfig(moves.Steady, four, four))
			d.fillAll(t)
			stop := d.run(6)
			for _, resize := range [][2][]string{{four, three}, {three, four}, {four, spare}, {spare, four}, {four, spare}, {spare, others}} {
				before, after := resize[0], resize[1]
				d.pass()
				if warm {
					d.rollout(phaseConfig(moves.Announcing, before, after))
					d.rollout(phaseConfig(moves.Preparing, before, after))
					d.rollout(phaseConfig(moves.Warming, before, after))
					d.pass() // of the load over all keys: the warm-up
					d.rollout(phaseConfig(moves.Closing, before, after))
				}
				d.rollout(phaseConfig(moves.Steady, after, after))
				d.pass()
				for i, each := range servers {
					if slices.Contains(before, each.address) && !slices.Contains(after, each.address) {
						each.kill(t)
						servers[i] = startOne(t, each.address, "-t", "1", "-m", "64")
					}
				}
			}
			stop()
			for i, each := range d.errors[:min(5, len(d.errors))] {
				t.Errorf("error %d of %d: %s", i+1, len(d.errors), each)
			}
			report := fmt.Sprintf("proxy: 4, 3 and 4 servers, a spare, back, the spare and 4 others %s: hit ratio %.3f%% (%d of %d reads missed), %d old values, %d errors, %d closed connections, %d repeated writes",
				name, 100*float64(d.hits.Load())/float64(d.reads.Load()), d.reads.Load()-d.hits.Load(), d.reads.Load(), d.stale.Load(), len(d.errors), d.closed.Load(), d.interrupted.Load())
			fmt.Println(report)
			if warm && (d.hits.Load() != d.reads.Load() || d.stale.Load() > 0 || d.reads.Load() < 10_000) {
				t.Errorf("want no miss and no old value in at least 10,000 reads: %s", report)
			}
			if !warm && d.hits.Load() == d.reads.Load() {
				t.Error("no item was lost without a warm-up: the test does not test")
			}
		})
	}
}

// TestProxyHotKeys reads a few keys at the same time through two proxies, of which one moves items, as in the middle
// of a resize. No read misses an item.
func TestProxyHotKeys(t *testing.T) {
	for _, resize := range [][2]int{{3, 4}, {4, 3}} {
		t.Run(fmt.Sprintf("from %d to %d servers", resize[0], resize[1]), func(t *testing.T) {
			servers := startServers(t, 4)
			from, to := addresses(servers)[:resize[0]], addresses(servers)[:resize[1]]
			proxies := []server{startPhase(t, moves.Preparing, from, to), startPhase(t, moves.Warming, from, to)}
			l := &load{to: &endpoints{}, frozen: true}
			for i := range 24 {
				l.keys = append(l.keys, &loaded{name: fmt.Sprint("item-", i)})
			}
			l.to.set(addresses(proxies)...)
			l.fillAll(t)
			stop := l.run(24)
			for deadline := time.Now().Add(time.Minute); l.reads.Load() < 100_000 && time.Now().Before(deadline); {
				time.Sleep(10 * time.Millisecond)
			}
			stop()
			if missing := l.reads.Load() - l.hits.Load(); missing > 0 || l.reads.Load() < 100_000 || len(l.errors) > 0 {
				t.Errorf("%d of %d reads found no item, want 0 of 100,000; errors: %.500q", missing, l.reads.Load(), l.errors)
			}
			for _, proxy := range proxies {
				expectNoLuaError(t, proxy)
			}
		})
	}
}

// proxyDeployment is a Deployment of two proxies.
type proxyDeployment struct {
	*testing.T
	*load
	proxies []server
}

// rollout replaces the proxies one after the other, with maxUnavailable 0. Clients may connect to an old proxy for a moment,
// as long as its preStop hook sleeps; then it gets SIGTERM and closes its connections.
func (d *proxyDeployment) rollout(config string) {
	d.Helper()
	old := d.proxies
	d.proxies = nil
	for i := range 2 {
		d.proxies = append(d.proxies, startConfigured(d, config))
		if i >= len(old) {
			d.to.set(addresses(d.proxies)...)
			continue
		}
		d.to.set(append(addresses(d.proxies), addresses(old[i+1:])...)...)
		time.Sleep(200 * time.Millisecond) // the preStop hook
		if err := old[i].Stop(time.Minute); err != nil {
			d.Fatal(err)
		}
		expectNoLuaError(d, old[i])
	}
}

// pass returns when every worker has used all its keys since then: the pass that is under way does not count.
func (d *proxyDeployment) pass() {
	d.Helper()
	deadline := time.Now().Add(time.Minute)
	for i := range d.passes {
		for want := d.passes[i].Load() + 2; d.passes[i].Load() < want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				d.Fatalf("worker %d did not use all its keys within a minute", i)
			}
		}
	}
}
