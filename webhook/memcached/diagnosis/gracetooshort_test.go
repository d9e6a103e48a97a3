package diagnosis

import (
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestGraceTooShort(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	server := func(name string, left time.Duration) moves.Server {
		return moves.Server{Pod: moves.Pod{Name: name, GraceEnds: new(now.Add(left))}, State: moves.ServerHolding}
	}
	for _, test := range []struct {
		reason  string
		routes  string
		servers map[int32]moves.Server
		risk    string
		wait    time.Duration
	}{
		{"no server is being deleted", "0-2", map[int32]moves.Server{1: {}}, "", 0},
		{"there is time", "0-2_0-2.1_warming", map[int32]moves.Server{1: server("cache-1", 9*time.Minute)}, "", 8 * time.Minute},
		{"the move has not begun", "0-2_0-2.1_announcing", map[int32]moves.Server{1: server("cache-1", 50*time.Second)},
			"Pod cache-1 is being deleted and stops at 2026-01-01T12:00:50Z, but its items are not moving yet", 50 * time.Second},
		{"the items move", "0-2_0-2.1_warming", map[int32]moves.Server{1: server("cache-1", 50*time.Second)},
			"Pod cache-1 is being deleted and stops at 2026-01-01T12:00:50Z, but its items are still moving", 50 * time.Second},
		{"the items have moved", "0-2_0-2.1_closing", map[int32]moves.Server{1: server("cache-1", 50*time.Second)}, "", 0},
		{"another server is moved", "0-2_0-2.1_closing", map[int32]moves.Server{2: server("cache-2", 50*time.Second)},
			"Pod cache-2 is being deleted and stops at 2026-01-01T12:00:50Z, but another move comes first", 50 * time.Second},
		{"the first of two", "0-2", map[int32]moves.Server{0: server("cache-0", 90*time.Second), 2: server("cache-2", 70*time.Second)}, "", 10 * time.Second},
		{"a server that serves nothing", "0-2.1", map[int32]moves.Server{1: server("cache-1", time.Second)}, "", 0},
	} {
		got := graceTooShort(&Input{Facts: moves.Facts{Now: now, Servers: test.servers}, Decision: moves.Decision{Routes: moves.ParseRoutes(test.routes)}})
		var risk string
		if got.Risk != nil {
			risk = got.Risk.Message
		}
		if rest := ". Items that have not moved by then will be lost. Check the pods of the cache and its Job, and increase spec.terminationGracePeriodSeconds for later drains."; test.risk != "" {
			test.risk += rest
		}
		if risk != test.risk || got.Wait != test.wait {
			t.Errorf("%s: the risk is %q with a wait of %s, want %q and %s", test.reason, risk, got.Wait, test.risk, test.wait)
		}
	}
}

// TestDrainTooLong checks the risk before a drain: the last move of the cache took longer than servers hold.
func TestDrainTooLong(t *testing.T) {
	memcached, hold := sample.Proxied(3).WithDefaults(), children.Images{Hold: "operator"}
	for _, test := range []struct {
		reason string
		images children.Images
		grace  *int64
		took   int64
		want   string
	}{
		{"there is time by default", hold, nil, 540, ""},
		{"longer than the default", hold, nil, 541, "In the last move, a server took 541 s to move its items, but the grace period is 540 s"},
		{"longer than spec has it", hold, new(int64(60)), 61, "In the last move, a server took 61 s to move its items, but the grace period is 60 s"},
		{"nothing moves in a drain", children.Images{}, new(int64(60)), 61, ""},
	} {
		memcached.Spec.TerminationGracePeriodSeconds = test.grace
		got := graceTooShort(&Input{Memcached: memcached, Images: test.images, Decision: moves.Decision{ProxyStatus: &v1alpha1.ProxyStatus{SecondsPerServer: test.took}}})
		if (got.Risk != nil) != (test.want != "") || got.Risk != nil && !strings.HasPrefix(got.Risk.Message, test.want) {
			t.Errorf("%s: the risk is %+v, want %q", test.reason, got.Risk, test.want)
		}
	}
}
