//go:build servers

package servers

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/reach"
)

// TestProxyReach checks the startup probe of a proxy in each phase: it fails while no server runs, and succeeds once one runs for each key that is
// read, whether others do or not.
func TestProxyReach(t *testing.T) {
	for _, phase := range []moves.ProxyPhase{moves.Steady, moves.Announcing, moves.Preparing, moves.Warming, moves.Closing} {
		for reason, add := range map[string]bool{"a server is added": true, "a place moves": false} {
			t.Run(string(phase)+" "+reason, func(t *testing.T) {
				t.Parallel()
				from := []string{freeAddress(t), freeAddress(t)}
				to := []string{from[0], from[1], freeAddress(t)}
				if !add {
					to = []string{from[0], freeAddress(t)}
				}
				proxy := startConfigured(t, phaseConfig(phase, from, to), "-v")
				wantUnreached(t, proxy.address)
				startOne(t, from[0], "-t", "1", "-m", "64")
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				if err := reach.Wait(ctx, proxy.address); err != nil {
					t.Errorf("one server of %q and %q runs: %v", from, to, err)
				}
				expectNoLuaError(t, proxy)
			})
		}
	}
}

// TestProxyReachOfWrongNames checks proxies whose servers run under another name, which nobody notices otherwise: reads are misses.
func TestProxyReachOfWrongNames(t *testing.T) {
	wantUnreached(t, startProxy(t, []string{"cache-0.invalid:11211", "cache-1.invalid:11211"}).address)
}

// wantUnreached checks that the probe of a proxy fails, and how.
func wantUnreached(t *testing.T, proxy string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if err := reach.Wait(ctx, proxy); err == nil || !strings.Contains(err.Error(), "the proxy cannot reach any server") {
		t.Errorf("no server runs: the probe returns %v", err)
	}
}
