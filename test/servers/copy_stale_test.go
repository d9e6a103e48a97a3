//go:build servers

package servers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// TestProxyCopyOfStaleItems copies a server with items that clients are about to store again. They do not move, and the copy takes no W:
// the client that reads an item next gets it, unless another one has it.
func TestProxyCopyOfStaleItems(t *testing.T) {
	const items, stale = 1000, 100
	servers := addresses(startServers(t, 2))
	fill(t, startProxy(t, servers[:1]), items)
	c := dialClient(t, servers[0])
	for i := range stale {
		c.must(t, fmt.Sprintf("ms stale-%d 1\r\nx\r\nmd stale-%d I\r\nms taken-%d 1\r\nx\r\nmd taken-%d I\r\nmg taken-%d\r\nmg created-%d N0\r\n", i, i, i, i, i, i))
	}
	warming := startPhase(t, moves.Warming, servers[:1], servers)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := copyItems(ctx, servers[0], warming.address, 1_000_000); err != nil {
		t.Error(err)
	}
	for kind, want := range map[string]string{"stale": "HD X W", "taken": "HD Z X", "created": "HD Z"} {
		var commands strings.Builder
		for i := range stale {
			fmt.Fprintf(&commands, "mg %s-%d\r\n", kind, i)
		}
		if got := countOf(dialClient(t, warming.address).must(t, commands.String()), want); got != stale {
			t.Errorf("%d of %d items %q have the response %q", got, stale, kind, want)
		}
	}
	wantAll(t, servers, items)
}
