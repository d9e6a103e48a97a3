package copier

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/loopback"
	"github.com/example/memcached-operator/webhook/memcached/client"
)

// fake is a server that remembers what it received.
type fake struct {
	address string
	lock    sync.Mutex
	lines   []string
}

func (f *fake) received() []string {
	f.lock.Lock()
	defer f.lock.Unlock()
	return slices.Clone(f.lines)
}

// serve starts a server that responds to each line with what a function returns.
func serve(t *testing.T, respond func(line string) string) *fake {
	t.Helper()
	f := &fake{}
	f.address = loopback.Serve(t, loopback.Lines(func(line string) string {
		f.lock.Lock()
		defer f.lock.Unlock()
		f.lines = append(f.lines, line)
		return respond(line)
	}))
	return f
}

// TestRead checks that items which clients have deleted since the listing, or are about to store again, are not read. The responses are
// those of memcached 1.6.45.
func TestRead(t *testing.T) {
	responses := map[string]string{
		"mg kept u k c": "HD kkept c17\r\n", "mg deleted u k c": "EN\r\n", "mg stale u k c": "HD kstale c19 X W\r\n",
		"mg taken u k c": "HD ktaken c21 Z X\r\n", "md stale I C19 q": "", "mn": "MN\r\n",
	}
	source := serve(t, func(line string) string { return responses[line] })
	server, err := client.Dial(t.Context(), source.address, client.Config{Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var b batch
	for _, key := range []string{"kept", "deleted", "stale", "taken"} {
		b.add(client.Item{Key: []byte(key)})
	}
	items, err := b.lookUp(server)
	if err != nil {
		t.Fatal(err)
	}
	proxies := serve(t, respondMoving)
	if err := newReader(proxies).read(t.Context(), server, items); err != nil {
		t.Fatal(err)
	}
	want := []string{"mg kept u k c", "mg deleted u k c", "mg stale u k c", "mg taken u k c", "md stale I C19 q", "mn"}
	if diff := cmp.Diff(want, source.received()); diff != "" {
		t.Errorf("the server receives other commands (-want +got):\n%s", diff)
	}
	want = []string{"mg memcached-operator-copy Omemcached-operator-copy", "mg kept u c Omemcached-operator-copy"}
	if diff := cmp.Diff(want, proxies.received()); diff != "" {
		t.Errorf("other items are read (-want +got):\n%s", diff)
	}
}

// TestReadOfMovingItems checks that items which stay on their server are not read.
func TestReadOfMovingItems(t *testing.T) {
	proxies := serve(t, respondMoving)
	r := newReader(proxies)
	r.Servers, r.Index = 4, 0
	if err := r.read(t.Context(), nil, []item{{key: []byte("item-1")}, {key: []byte("a\tb")}}); err != nil { // see TestServerOf
		t.Fatal(err)
	}
	want := []string{"mg memcached-operator-copy Omemcached-operator-copy", "mg a\tb u c Omemcached-operator-copy"}
	if diff := cmp.Diff(want, proxies.received()); diff != "" {
		t.Errorf("other items are read (-want +got):\n%s", diff)
	}
}

func newReader(proxies *fake) *reader {
	return &reader{Config: Config{Through: proxies.address, Patience: 50 * time.Millisecond, Logger: slog.New(slog.DiscardHandler)}}
}

// respondMoving responds as a proxy that moves items.
func respondMoving(line string) string {
	if strings.HasPrefix(line, "mg "+Opaque) {
		return moving + "\r\n"
	}
	return "HD c1 O" + Opaque + "\r\n"
}

// TestPatience checks that reads do not wait for a server that was down for long, and wait again after many that got responses.
func TestPatience(t *testing.T) {
	t.Parallel()
	var failures atomic.Int64
	r := newReader(serve(t, func(line string) string {
		if strings.HasPrefix(line, "mg moves") && failures.Add(-1) >= 0 {
			return "SERVER_ERROR backend failure\r\n"
		}
		return respondMoving(line)
	}))
	read := func(key string, times, left int, reason string) {
		t.Helper()
		r.left = 0
		for range times {
			r.reads = [][]byte{[]byte(key)}
			if err := r.flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if r.left != left {
			t.Errorf("%s: %d items stay behind, want %d", reason, r.left, left)
		}
	}
	failures.Store(1_000_000)
	read("moves", 1, 1, "the server stays down")
	start := time.Now()
	read("moves", 100, 100, "the server is still down")
	if took := time.Since(start); took > 100*r.Patience/2 {
		t.Errorf("reads still wait for the server: 100 took %s", took)
	}
	failures.Store(2)
	read("moves", 1, 1, "two failures soon afterwards may be of the same server")
	read("stays", calm, 0, "reads of other servers")
	failures.Store(2)
	read("moves", 1, 0, "two failures after many responses")
}

// TestUnreadableLongKey checks that the error for a long key is short: a server can list keys of any length.
func TestUnreadableLongKey(t *testing.T) {
	t.Parallel()
	r := newReader(serve(t, func(line string) string {
		if strings.HasPrefix(line, "mg kkk") {
			return "CLIENT_ERROR bad command line format\r\n"
		}
		return respondMoving(line)
	}))
	r.reads = [][]byte{bytes.Repeat([]byte("k"), 60_000)}
	if err := r.flush(t.Context()); !errors.Is(err, errUnreadable) || len(err.Error()) > 1000 {
		t.Errorf("got the error %.1000v, want a shorter %v", err, errUnreadable)
	}
}

// TestOtherTarget checks that a copy through something else than proxies that move items is no success.
func TestOtherTarget(t *testing.T) {
	t.Parallel()
	for reason, response := range map[string]string{
		"memcached, or proxies that move nothing": "EN", "an item of this key": "HD", "proxies that do not reach a server": "SERVER_ERROR backend failure", "HTTP": "HTTP/1.1 400 Bad Request",
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			r := newReader(serve(t, func(string) string { return response + "\r\n" }))
			r.reads = [][]byte{[]byte("key")}
			if err := r.flush(t.Context()); err == nil || !strings.Contains(err.Error(), "is not a proxy that moves items") {
				t.Errorf("%s: the error is %v", reason, err)
			}
		})
	}
}

// TestWaitForPhase checks that the copy waits for proxies that do not move items yet.
func TestWaitForPhase(t *testing.T) {
	responses := []string{"EN\r\n", moving + "\r\n", "HD c1\r\n"}
	r := newReader(serve(t, func(string) string {
		first := responses[0]
		responses = responses[1:]
		return first
	}))
	r.reads = [][]byte{[]byte("key")}
	if err := r.flush(t.Context()); err != nil || r.done != 1 {
		t.Errorf("%d items are read, with the error %v", r.done, err)
	}
}

// TestBatches checks that few large items are handled together, because a proxy has their values in its memory.
func TestBatches(t *testing.T) {
	listing := strings.Repeat("key=k exp=-1 la=1 cas=1 fetch=no cls=1 size=1000000 \n", 11) + "END\r\n"
	server := serve(t, func(line string) string {
		if line == "stats" {
			return "END\r\n"
		} else if strings.HasPrefix(line, "lru_crawler") {
			return listing
		}
		return "HD kk c1\r\n"
	})
	s := &source{address: server.address, batch: 64, batchBytes: maxBytes, patience: time.Minute, logger: slog.New(slog.DiscardHandler)}
	var got []int
	err := s.list(t.Context(), "items", func(connection *client.Conn) error {
		return s.walk(t.Context(), connection, client.ByHash, func(client.Item) bool { return true }, func(_ *client.Conn, items []item) error {
			got = append(got, len(items))
			return nil
		})
	})
	if diff := cmp.Diff([]int{3, 3, 3, 2}, got); diff != "" || err != nil {
		t.Errorf("got the error %v, and other batches of items of 1 MB than 2 MiB (-want +got):\n%s", err, diff)
	}
}

// TestBusyCrawler checks that a listing that another client blocks is bounded, and that its log says why.
func TestBusyCrawler(t *testing.T) {
	t.Parallel()
	server := serve(t, func(string) string { return "STAT lru_crawler_running 1\r\nEND\r\n" })
	var log bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 3*pause/2)
	defer cancel()
	err := Run(ctx, Config{From: server.address, Through: server.address, Rate: 1, InFlight: 1, Patience: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if !strings.Contains(log.String(), client.ErrBusy.Error()) {
		t.Errorf("the copy does not log why it waits: %s", log.String())
	}
	if others := slices.DeleteFunc(server.received(), func(line string) bool { return line == "stats" }); err == nil || len(others) > 0 {
		t.Errorf("the server received %q, and the error is %v", others, err)
	}
}
