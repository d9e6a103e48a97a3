//go:build servers

package servers

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/copier"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

const (
	copied   = 200_000
	inFlight = 64
)

// TestProxyCopy copies items from four servers to three, back to four, and to three others. Half of them were never read. All are found
// with their values, flags and TTLs, also those with binary keys.
//
// The decrease comes first, because its marks end with the server that is removed.
func TestProxyCopy(t *testing.T) {
	servers := startServers(t, 4)
	four, others := addresses(servers), addresses(startServers(t, 3))
	three := four[:3]
	fill(t, startProxy(t, four), copied)
	for _, resize := range [][2][]string{{four, three}, {three, four}, {four, others}} {
		warming := startPhase(t, scaling.Warming, resize[0], resize[1])
		start := time.Now()
		for _, source := range sources(resize[0], resize[1]) {
			if err := copyItems(t.Context(), source, warming.address, 1_000_000); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Printf("proxy: copied the items of %d to %d servers in %.1f s\n", len(resize[0]), len(resize[1]), time.Since(start).Seconds())
		expectNoLuaError(t, warming)
		if len(resize[0]) == 4 && resize[1][0] == four[0] {
			servers[3].kill(t)
			servers[3] = startOne(t, four[3], "-t", "1", "-m", "64")
		}
		wantAll(t, resize[1], copied)
	}
}

// TestProxyCopyOfFlash copies items whose values are on flash.
func TestProxyCopyOfFlash(t *testing.T) {
	const items = 20_000
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	from := startOne(t, freeAddress(t), "-m", "64", "-o", "ext_path="+dir+"/extstore:256m,ext_page_size=8,ext_wbuf_size=4,ext_item_age=0,ext_item_size=64")
	to := []string{from.address, startOne(t, freeAddress(t), "-m", "64").address}
	fill(t, startProxy(t, to[:1]), items)
	onFlash := func() bool {
		objects, _ := strconv.Atoi(from.stats(t, "stats")["extstore_objects_used"])
		return objects > items/4
	}
	for deadline := time.Now().Add(30 * time.Second); !onFlash(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("memcached writes no items to flash")
		}
	}
	if err := copyItems(t.Context(), from.address, startPhase(t, scaling.Warming, to[:1], to).address, 1_000_000); err != nil {
		t.Fatal(err)
	}
	wantAll(t, to, items)
}

// TestProxyCopyWithRestarts restarts the proxy and a server several times during a copy. The copy loses only what the server loses.
func TestProxyCopyWithRestarts(t *testing.T) {
	servers := startServers(t, 2)
	from, to := addresses(servers)[:1], addresses(servers)
	fill(t, startProxy(t, from), copied)
	config := phaseConfig(scaling.Warming, from, to)
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

	fill(t, startProxy(t, from), copied) // also replaces marks
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
	const items = 1000
	servers := addresses(startServers(t, 2))
	fill(t, startProxy(t, servers[:1]), items)
	c := dialClient(t, servers[0])
	for i := range items {
		key, flag := keyOf(i)
		owner := 1<<62 | (time.Now().UnixMilli()-10_000)<<20 | int64(len(flag))/2
		c.must(t, fmt.Sprintf("ms %s 0%s MA E%d\r\n\r\n", key, flag, owner))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := copyItems(ctx, servers[0], startPhase(t, scaling.Warming, servers[:1], servers).address, 1_000_000); err != nil {
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
	proxy := startPhase(t, scaling.Warming, all[:1], all)
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

// TestProxyCopyRefused checks that the copy ends, with the response of the server, if the server does not list its items.
func TestProxyCopyRefused(t *testing.T) {
	for flags, want := range map[string]string{"-X": "metadump not allowed", "-o no_lru_crawler": "lru crawler disabled"} {
		from := startOne(t, freeAddress(t), strings.Fields(flags)...)
		if err := copyItems(t.Context(), from.address, from.address, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", flags, err, want)
		}
	}
}

// TestProxyCopyOfForeignItems checks that the copy ends if a server has items that proxies look for on another server, for example
// after a change of size without a warm-up.
func TestProxyCopyOfForeignItems(t *testing.T) {
	servers := addresses(startServers(t, 3))
	var commands strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&commands, "ms item-%d 1 q\r\nx\r\n", i)
	}
	dialClient(t, servers[0]).must(t, commands.String())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var log bytes.Buffer
	config := copier.Config{From: servers[0], Through: startPhase(t, scaling.Warming, servers[:2], servers).address, Rate: 1_000_000,
		InFlight: inFlight, Patience: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	if err := copier.Run(ctx, config); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "do not find many of the items") {
		t.Errorf("the log has no warning:\n%s", log.String())
	}
}

// waitMore waits until a number of the statistics is reached: the copy is under way.
func waitMore(t *testing.T, s server, name string, want int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		got, err := strconv.Atoi(s.stats(t, "stats")[name])
		switch {
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		case got >= want:
			return
		case time.Now().After(deadline):
			t.Fatalf("%s is %d, want %d", name, got, want)
		}
	}
}

// wantAll fails unless proxies that know these servers alone find all items.
func wantAll(t *testing.T, servers []string, items int) {
	t.Helper()
	if found := count(t, startProxy(t, servers), items); found != items {
		t.Errorf("%d of %d items are found on %d servers", found, items, len(servers))
	}
}

func sources(from, to []string) []string {
	if len(from) > len(to) && from[0] == to[0] {
		return from[len(to):]
	}
	return from
}

func copyItems(ctx context.Context, from, through string, rate int) error {
	return copier.Run(ctx, copier.Config{From: from, Through: through, Rate: rate, InFlight: inFlight, Patience: time.Minute, Logger: slog.New(slog.DiscardHandler)})
}

// keyOf returns a key as meta commands send it, with its flag. Some keys are binary, and some of them could be sent as text.
func keyOf(i int) (key, flag string) {
	switch i % 100 {
	case 1:
		return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("\x00 %d\n", i))), " b"
	case 2:
		return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("text-%d", i))), " b"
	case 3:
		return fmt.Sprintf("ключ-%d", i), ""
	}
	return fmt.Sprintf("item-%d", i), ""
}

func valueOf(i int) string { return strings.Repeat("x", i%300) }

// fill stores items and reads the first half of them.
func fill(t *testing.T, proxy server, items int) {
	t.Helper()
	c := dialClient(t, proxy.address)
	for from := 0; from < items; from += 1000 {
		var commands strings.Builder
		for i := from; i < from+1000; i++ {
			key, flag := keyOf(i)
			fmt.Fprintf(&commands, "ms %s %d%s q F%d T%d\r\n%s\r\n", key, len(valueOf(i)), flag, i, i%2*5000, valueOf(i))
			if i < items/2 {
				fmt.Fprintf(&commands, "mg %s%s q\r\n", key, flag)
			}
		}
		c.must(t, commands.String())
	}
}

// count returns how many items a proxy finds with their values, flags and TTLs. The copy must not count as a read, which would
// change the place of an item in the LRU.
func count(t *testing.T, proxy server, items int) int {
	t.Helper()
	c := dialClient(t, proxy.address)
	found := 0
	for from := 0; from < items; from += 1000 {
		var commands strings.Builder
		for i := from; i < from+1000; i++ {
			key, flag := keyOf(i)
			fmt.Fprintf(&commands, "mg %s%s u v f t h\r\n", key, flag)
		}
		for i, r := range c.must(t, commands.String()) {
			i += from
			var size, flags, ttl, hit int
			_, err := fmt.Sscanf(r.line, "VA %d f%d t%d h%d", &size, &flags, &ttl, &hit)
			if err == nil && flags == i && (hit == 0 || i < items/2) && r.value == valueOf(i) && (i%2 == 0 && ttl == -1 || i%2 == 1 && ttl > 4000 && ttl <= 5000) {
				found++
			}
		}
	}
	return found
}
