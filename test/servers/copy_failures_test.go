//go:build servers

package servers

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/copier"
	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// TestProxyCopyWithRestarts restarts the proxy and a server several times during a copy. The copy loses only what the server loses.
func TestProxyCopyWithRestarts(t *testing.T) {
	servers := startServers(t, 2)
	from, to := addresses(servers)[:1], addresses(servers)
	fill(t, startProxy(t, from), copied)
	config := phaseConfig(moves.Warming, from, to)
	proxy := startConfigured(t, config)
	done, start := make(chan error, 1), time.Now()
	go func() { done <- copyItems(t.Context(), from[0], proxy.address, 50_000) }() // 4 seconds
	for i := range 3 {
		waitMore(t, servers[1], "curr_items", 20_000*(i+1))
		proxy.kill(t)
		if err := proxy.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 4*time.Second {
		t.Errorf("the copy took %s, less than its rate allows", took)
	}
	expectNoLuaError(t, proxy)
	wantAll(t, to, copied)

	fill(t, startProxy(t, from), copied)
	reads, err := strconv.Atoi(servers[0].stats(t, "stats")["cmd_get"])
	if err != nil {
		t.Fatal(err)
	}
	go func() { done <- copyItems(t.Context(), from[0], proxy.address, 50_000) }()
	waitMore(t, servers[0], "cmd_get", reads+20_000)
	servers[0].kill(t)
	if err := servers[0].Start(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the server restarts: %v", err)
	}
}

// TestProxyCopyOfEndedProxy copies items that a proxy was moving when it ended. memcached does not know anymore which of their keys are
// in base64.
func TestProxyCopyOfEndedProxy(t *testing.T) {
	const items, ownedItems = 1000, 8
	servers := addresses(startServers(t, 2))
	fill(t, startProxy(t, servers[:1]), items)
	c := dialClient(t, servers[0])
	for i := range ownedItems { // two of them have keys in base64
		key, flag := keyOf(i)
		owner := 0x6d6<<52 | len(flag)/2
		c.must(t, fmt.Sprintf("ms %s 0%s MA E%d\r\n\r\n", key, flag, owner))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := copyItems(ctx, servers[0], startPhase(t, moves.Warming, servers[:1], servers).address, 1_000_000); err != nil {
		t.Error(err)
	}
	wantAll(t, servers, items)
}

// TestProxyCopyWaitsForServer copies items to a server that is down. The copy waits for it. If that takes too long, the copy returns an
// error when it has copied the other items.
func TestProxyCopyWaitsForServer(t *testing.T) {
	const items = 1000
	servers := startServers(t, 3)
	all := addresses(servers)
	fill(t, startProxy(t, all[:1]), items)
	proxy := startPhase(t, moves.Warming, all[:1], all)
	servers[2].kill(t)
	config := copier.Config{From: all[0], Through: proxy.address, Rate: 1_000_000, InFlight: inFlight, Patience: 3 * time.Second,
		Logger: slog.New(slog.DiscardHandler)}
	if err := copier.Run(t.Context(), config); err == nil || !strings.Contains(err.Error(), "items did not move") {
		t.Errorf("the server stays down: the error is %v, want the number of items that did not move", err)
	}
	moved, err := strconv.Atoi(servers[1].stats(t, "stats")["curr_items"])
	if err != nil || moved < items/4 {
		t.Errorf("%d of %d items moved to the server that is not down: %v", moved, items, err)
	}

	config.Patience = time.Minute
	waits := make(chan bool, 1)
	config.Logger = slog.New(slog.NewTextHandler(writerFunc(func(line []byte) (int, error) {
		if bytes.Contains(line, []byte("Reading again")) {
			select {
			case waits <- true:
			default:
			}
		}
		return len(line), nil
	}), nil))
	done := make(chan error, 1)
	go func() { done <- copier.Run(t.Context(), config) }()
	select {
	case <-waits:
	case err := <-done:
		t.Fatalf("the copy does not wait for the server: %v", err)
	}
	if err := servers[2].Start(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the server starts again: %v", err)
	}
	wantAll(t, all, items)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
