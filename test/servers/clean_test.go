//go:build servers

package servers

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/copier"
)

// TestProxyClean stores all keys on each server and cleans it. Of each key, the item remains on the server where proxies look for it: so
// clean distributes keys as the proxies do. A client changes these items meanwhile.
func TestProxyClean(t *testing.T) {
	keys := distributed()
	for _, size := range []int{1, 2, 3, 4, 7} {
		servers := startServers(t, size)
		proxy := startProxy(t, addresses(servers))
		var store, change, find strings.Builder
		for _, key := range keys {
			key, flag, _ := strings.Cut(key, " ")
			fmt.Fprintf(&store, "ms %s 3 %s q\r\nold\r\n", key, flag)
			fmt.Fprintf(&change, "ms %s 3 %s q\r\nnew\r\n", key, flag)
			fmt.Fprintf(&find, "mg %s v %s\r\n", key, flag)
		}
		for _, server := range servers {
			dialClient(t, server.address).must(t, store.String())
		}
		c, remain := dialClient(t, proxy.address), 0
		for i, server := range servers {
			done := make(chan error, 1)
			go func() { done <- cleanServer(t.Context(), server.address, i, size) }()
			for running := true; running; {
				select {
				case err := <-done:
					if running = false; err != nil {
						t.Error(err)
					}
				default:
					c.must(t, change.String())
				}
			}
		}
		for _, server := range servers {
			items, err := strconv.Atoi(server.stats(t, "stats")["curr_items"])
			if err != nil {
				t.Fatal(err)
			}
			remain += items
		}
		found := 0
		for _, r := range c.must(t, find.String()) {
			if r.value == "new" {
				found++
			}
		}
		if found != len(keys) || remain != len(keys) {
			t.Errorf("%d servers: %d items remain, and proxies find %d of them, want %d", size, remain, found, len(keys))
		}
	}
}

// TestProxyCleanOfUnusedServer cleans a server that no proxy uses, before keys return to it: nothing remains, whatever the form of its key.
func TestProxyCleanOfUnusedServer(t *testing.T) {
	server := startServers(t, 1)[0]
	var store strings.Builder
	for _, key := range distributed() {
		key, flag, _ := strings.Cut(key, " ")
		fmt.Fprintf(&store, "ms %s 3 %s q\r\nold\r\n", key, flag)
	}
	dialClient(t, server.address).must(t, store.String()+"ms stale 1\r\nx\r\nmd stale I\r\n")
	if err := cleanServer(t.Context(), server.address, 1, 0); err != nil {
		t.Error(err)
	}
	if got := server.stats(t, "stats")["curr_items"]; got != "0" {
		t.Errorf("%s items remain, want 0", got)
	}
}

// TestProxyCleanOfStaleItems cleans a server with items that clients are about to store again. Those of this server remain, and clean
// takes no W.
func TestProxyCleanOfStaleItems(t *testing.T) {
	servers := startServers(t, 2)
	proxies, first := dialClient(t, startProxy(t, addresses(servers)).address), dialClient(t, servers[0].address)
	var store, find strings.Builder
	for i := range 100 {
		fmt.Fprintf(&store, "ms stale-%d 1\r\nx\r\nmd stale-%d I\r\n", i, i)
		fmt.Fprintf(&find, "mg stale-%d\r\n", i)
	}
	proxies.must(t, store.String())
	own, err := strconv.Atoi(servers[0].stats(t, "stats")["curr_items"])
	if err != nil {
		t.Fatal(err)
	}
	first.must(t, store.String())
	if err := cleanServer(t.Context(), servers[0].address, 0, 2); err != nil {
		t.Error(err)
	}
	if got := countOf(first.must(t, find.String()), "HD X W"); got != own {
		t.Errorf("the server has %d items whose client is still to be found, want %d", got, own)
	}
}

// distributed returns keys of all lengths and forms: as text, and in base64 with the flag b, also those that could be text.
func distributed() []string {
	keys := []string{"a\tb", "%41", "a%20b"}
	for i := range 5000 {
		key, flag := keyOf(i)
		keys = append(keys, key+flag)
	}
	for length := 1; length <= 250; length++ { // the hash has cases for ranges of lengths
		keys = append(keys, strings.Repeat("k", length))
	}
	for length := 1; length <= 186; length++ { // 250 characters
		keys = append(keys, base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", length)))+" b")
	}
	return keys
}

func cleanServer(ctx context.Context, address string, index, of int) error {
	return copier.Clean(ctx, copier.CleanConfig{Server: address, Index: index, Of: of, Patience: time.Minute, Logger: slog.New(slog.DiscardHandler)})
}
