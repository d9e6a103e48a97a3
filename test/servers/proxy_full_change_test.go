//go:build servers

package servers

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/internal/paired"
	"github.com/example/memcached-operator/webhook/copier"
	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// changingCache is a cache whose servers change.
type changingCache struct {
	*testing.T
	fullCase
	load     *paired.Load
	from, to []string
	servers  []server // that run
	evicted  int      // by servers that do not run anymore
	proxies  []server
	phases   []phaseStart
}

type phaseStart struct {
	second int
	phase  moves.ProxyPhase
}

// rollout starts two proxies, and ends the others when clients have used both for a while.
func (d *changingCache) rollout(phase moves.ProxyPhase, from, to []string) {
	d.Helper()
	old := d.proxies
	d.proxies = []server{startPhase(d, phase, from, to), startPhase(d, phase, from, to)}
	d.load.To[paired.Changed].Set(addresses(slices.Concat(d.proxies, old))...)
	if len(old) == 0 {
		return
	}
	time.Sleep(d.together)
	d.load.To[paired.Changed].Set(addresses(d.proxies)...)
	time.Sleep(200 * time.Millisecond) // the preStop hook
	var group sync.WaitGroup
	for _, each := range old {
		group.Go(func() {
			if err := each.Stop(time.Minute); err != nil {
				d.Error(err)
			}
		})
	}
	group.Wait()
	for _, each := range old {
		expectNoLuaError(d, each)
	}
}

// prepareServers starts the new servers, which no proxy uses yet. Before a decrease, it removes the garbage of earlier changes.
func (d *changingCache) prepareServers() {
	for _, address := range d.to {
		if !slices.Contains(addresses(d.servers), address) {
			d.servers = append(d.servers, startOne(d, address, "-t", "1", "-m", strconv.Itoa(d.serverMiB)))
		}
	}
	for i, address := range d.to {
		if len(d.to) < len(d.from) {
			if err := cleanServer(d.Context(), address, i, len(d.from)); err != nil {
				d.Error(err)
			}
		}
	}
}

// copyAll runs the Job of the warm-up.
func (d *changingCache) copyAll() {
	var group sync.WaitGroup
	failed := make([]error, len(d.from))
	for i, source := range sources(d.from, d.to) {
		config := copier.Config{From: source, Through: d.proxies[i%len(d.proxies)].address, Rate: d.rate, InFlight: inFlight,
			Patience: time.Minute, Logger: slog.New(slog.DiscardHandler)}
		if slices.Contains(d.to, source) {
			config.Servers, config.Index = len(d.to), i
		} else {
			config.Room = d.serverMiB * len(d.to) / len(d.from)
		}
		group.Go(func() { failed[i] = copier.Run(d.Context(), config) })
	}
	group.Wait()
	if err := errors.Join(failed...); err != nil {
		d.Error(err)
	}
}

// removeServers ends the servers that the proxies do not use anymore.
func (d *changingCache) removeServers() {
	d.servers = slices.DeleteFunc(d.servers, func(s server) bool {
		if slices.Contains(d.to, s.address) {
			return false
		}
		d.evicted += evictions(d, []server{s})
		s.kill(d.T)
		return true
	})
	time.Sleep(time.Second) // clients use the proxies alone
}

// leaveGarbage stores old values on the servers that stay, as earlier changes could leave them, of items that are on a server that is
// removed. Clients delete half of these items.
func (d *changingCache) leaveGarbage() {
	removed := dialClient(d, d.from[len(d.from)-1])
	var reads, garbage []byte
	sample := d.load.Len() / 2000
	for item := 0; item < d.load.Len(); item += sample {
		reads = fmt.Appendf(reads, "mg %s k u\r\n", paired.KeyOf(item))
	}
	for i, r := range removed.must(d, string(reads)) {
		if !strings.HasPrefix(r.line, "HD") {
			continue
		}
		garbage = append(garbage, d.load.FirstCommand(i*sample)...)
		d.load.Spoiled = append(d.load.Spoiled, i*sample)
	}
	for _, stays := range d.to {
		dialClient(d, stays).must(d, string(garbage))
	}
}

func evictions(t testing.TB, servers []server) (total int) {
	t.Helper()
	for _, each := range servers {
		evicted, err := strconv.Atoi(each.stats(t, "stats")["evictions"])
		if err != nil {
			t.Fatal(err)
		}
		total += evicted
	}
	return total
}
