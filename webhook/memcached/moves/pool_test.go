package moves

import (
	"testing"
	"time"
)

// smallPools returns all pools within the first ordinals, with up to two spares.
func smallPools() (pools []Pool) {
	for first := range int32(4) {
		for count := range 5 - first {
			pool := poolOf(Range{first, count})
			pools = append(pools, pool)
			for own := first; own < pool.Slots.End(); own++ {
				one := pool.withSpare(Spare{own, pool.Slots.End()})
				pools = append(pools, one, pool.withSpare(Spare{own, pool.Slots.End() + 2}))
				for other := first; other < own; other++ {
					pools = append(pools, one.withSpare(Spare{other, pool.Slots.End() + 1}))
				}
			}
		}
	}
	return pools
}

// TestHasAll compares all small pools with each other.
func TestHasAll(t *testing.T) {
	pools, all := smallPools(), 0
	for _, p := range pools {
		for _, other := range pools {
			want := len(other.notIn(p)) == 0
			if want {
				all++
			}
			if got := p.hasAll(other); got != want {
				t.Errorf("%s has all servers of %s: got %v, want %v", p, other, got, want)
			}
		}
	}
	t.Logf("%d pools, %d pairs of which one has all of the other", len(pools), all)
}

// TestClosingProxiesListNoServers: each running proxy is compared at every sync, and a list of 1,000 servers for each of 70,000 takes two seconds.
func TestClosingProxiesListNoServers(t *testing.T) {
	p := poolOf(Range{0, MaxServers}).withSpare(Spare{500, MaxServers})
	s := situation{runningRoutes: []Routes{{Move{p, p}, Closing}}}
	s.Proxies.Warmup = time.Minute
	allocations := testing.AllocsPerRun(10, func() {
		if s.anyKnowsServersWithoutSlot(p) {
			t.Error("each server has a slot")
		}
	})
	if allocations > 0 {
		t.Errorf("%.0f allocations", allocations)
	}
}
