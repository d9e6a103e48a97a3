//go:build servers

package servers

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/copier"
	"github.com/example/memcached-operator/webhook/memcached/moves"
)

const (
	copied   = 200_000
	inFlight = 64
)

// TestProxyCopy copies items from four servers to three, back to four, and to three others. Half of them were never read. All are found
// with their values, flags and TTLs, also those with binary keys.
func TestProxyCopy(t *testing.T) {
	servers := startServers(t, 4)
	four, others := addresses(servers), addresses(startServers(t, 3))
	three := four[:3]
	fill(t, startProxy(t, four), copied)
	for _, resize := range [][2][]string{{four, three}, {three, four}, {four, others}} {
		warming := startPhase(t, moves.Warming, resize[0], resize[1])
		start := time.Now()
		for i, source := range sources(resize[0], resize[1]) {
			config := copyConfig(source, warming.address, 1_000_000)
			if len(resize[1]) > len(resize[0]) {
				config.Servers, config.Index = len(resize[1]), i
			}
			if err := copier.Run(t.Context(), config); err != nil {
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
	if err := copyItems(t.Context(), from.address, startPhase(t, moves.Warming, to[:1], to).address, 1_000_000); err != nil {
		t.Fatal(err)
	}
	wantAll(t, to, items)
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
	config := copier.Config{From: servers[0], Through: startPhase(t, moves.Warming, servers[:2], servers).address, Rate: 1_000_000,
		InFlight: inFlight, Patience: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	if err := copier.Run(ctx, config); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "did not find many of the items") {
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
	return copier.Run(ctx, copyConfig(from, through, rate))
}

func copyConfig(from, through string, rate int) copier.Config {
	return copier.Config{From: from, Through: through, Rate: rate, InFlight: inFlight, Patience: time.Minute, Logger: slog.New(slog.DiscardHandler)}
}

// keyOf returns a key as meta commands send it, with its flag. Some keys are binary, and some of them could be sent as text. Some texts
// have control characters, with which they are too long for base64.
func keyOf(i int) (key, flag string) {
	switch i % 100 {
	case 1:
		return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("\x00 %d\n", i))), " b"
	case 2:
		return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("text-%d", i))), " b"
	case 3:
		return fmt.Sprintf("ключ-%d", i), ""
	case 4:
		return fmt.Sprintf("\x00\r%0200d", i), ""
	}
	if i == 5 {
		return copier.Opaque, "" // as a client may
	}
	return fmt.Sprintf("item-%d", i), ""
}

// lastSecond is the last time that memcached accepts.
const lastSecond = math.MaxInt32

// expiryOf returns when an item expires: never, after a time, or at the last second.
func expiryOf(i int) int {
	if i%100 == 9 {
		return lastSecond
	}
	return i % 2 * 5000
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
			fmt.Fprintf(&commands, "ms %s %d%s q F%d T%d\r\n%s\r\n", key, len(valueOf(i)), flag, i, expiryOf(i), valueOf(i))
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
		now := int(time.Now().Unix())
		for i, r := range c.must(t, commands.String()) {
			i += from
			var size, flags, ttl, hit int
			_, err := fmt.Sscanf(r.line, "VA %d f%d t%d h%d", &size, &flags, &ttl, &hit)
			want := expiryOf(i)
			switch want {
			case 0:
				want = -1
			case lastSecond:
				want -= now - 2 // the clock of a server is up to a second late
			}
			if err == nil && flags == i && (hit == 0 || i < items/2) && r.value == valueOf(i) && (ttl == want || want > 0 && ttl < want && ttl > want-1000) {
				found++
			}
		}
	}
	return found
}
