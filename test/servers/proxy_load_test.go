//go:build servers

package servers

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// endpoints are the addresses behind a Service: clients connect to any of them.
type endpoints struct {
	mutex sync.Mutex
	all   []string
}

func (e *endpoints) set(all ...string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.all = all
}

func (e *endpoints) any() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.all[rand.IntN(len(e.all))]
}

// loaded is the state of a key, which one worker writes and all workers read. Its lowest bit is 1 while a write is under way, the
// next one is 1 if the item exists, and the others are the number of the last write.
type loaded struct {
	name  string
	state atomic.Uint64
}

const (
	writing = 1
	exists  = 2
	next    = 4
)

// value returns the item of a state. Its length differs, and some values are large.
func (k *loaded) value(state uint64) (value string, flags uint64) {
	version := state / next
	length := version % 50
	if version%50 == 49 {
		length = 4000
	}
	return fmt.Sprintf("%s is %d %s", k.name, version, strings.Repeat("x", int(length))), version % 1000
}

// ttl is the TTL in seconds of all items of a load.
const ttl = 3600

// load is what clients do at the same time, and what they observed.
type load struct {
	keys   []*loaded
	frozen bool // no worker writes
	to     *endpoints
	ended  atomic.Bool
	passes []atomic.Uint64 // of each worker over its keys

	// reads counts reads of items that exist, before and after the read in the same version; hits and stale are those that
	// found this version, and those that found another one.
	reads, hits, stale atomic.Uint64
	// closed counts connections that were closed by a proxy that ended, and interrupted counts the writes among the commands
	// that were under way and had to be repeated.
	closed, interrupted atomic.Uint64

	mutex  sync.Mutex
	errors []string
}

func (l *load) fail(format string, args ...any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.errors = append(l.errors, fmt.Sprintf(format, args...))
}

// run starts workers, which stop when the returned function is called.
func (l *load) run(workers int) (stop func()) {
	l.passes = make([]atomic.Uint64, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() { l.work(i, workers) })
	}
	return func() { l.ended.Store(true); group.Wait() }
}

// work writes every key of a worker in turn, and reads these and other keys.
func (l *load) work(worker, workers int) {
	c := &retrying{load: l}
	for !l.ended.Load() {
		for i := worker; i < len(l.keys) && !l.ended.Load(); i += workers {
			own := l.keys[i]
			l.read(c, own)
			switch n := rand.IntN(20); {
			case l.frozen:
			case n == 0:
				l.write(c, own, false)
			case n < 4:
				l.write(c, own, true)
			}
			for range 3 {
				l.read(c, l.keys[rand.IntN(len(l.keys))])
			}
			for range 2 { // some keys are read by all workers at the same time
				l.read(c, l.keys[rand.IntN(8)])
			}
		}
		l.passes[worker].Add(1)
	}
}

// write stores or deletes an item.
func (l *load) write(c *retrying, k *loaded, store bool) {
	before, connections := k.state.Load()&^writing, c.connections
	k.state.Store(before | writing)
	after := (before + next) &^ exists
	command, want := "delete "+k.name+"\r\n", "DELETED NOT_FOUND"
	if store {
		after |= exists
		value, flags := k.value(after)
		command, want = fmt.Sprintf("set %s %d %d %d\r\n%s\r\n", k.name, flags, ttl, len(value), value), "STORED"
	}
	if got := lines(c.do(command)); got == "" || !strings.Contains(want, got) {
		l.fail("%.60q returned %.100q, want %s", command, got, want)
	}
	if c.connections != connections {
		// The proxy that ended may execute a part of the command after the next proxy, so what readers find is not known until
		// the next write.
		l.interrupted.Add(1)
		after |= writing
	}
	k.state.Store(after)
}

// read compares an item with the last write, unless a write is under way.
func (l *load) read(c *retrying, k *loaded) {
	before := k.state.Load()
	command := l.reading(c, k)
	got := c.do(command)
	if before&writing != 0 || k.state.Load() != before {
		return
	}
	value, flags := k.value(before)
	if before&exists != 0 {
		l.reads.Add(1)
	}
	switch {
	case len(got) == 0:
		l.fail("%q returned nothing", command)
	case got[0].line == "END" || strings.HasPrefix(got[0].line, "EN"):
	case before&exists == 0 || got[0].value != value:
		l.stale.Add(1)
	case !strings.Contains(got[0].line+" ", fmt.Sprintf(" f%d ", flags)) && !strings.Contains(got[0].line, fmt.Sprintf(" %d ", flags)):
		l.fail("%q returned the flags %q, want %d", command, got[0].line, flags)
	default:
		l.hits.Add(1)
		if _, seconds, found := strings.Cut(got[0].line, " t"); found && (seconds < "3400" || len(seconds) != 4) {
			l.fail("%q returned the TTL %s, want about %d", command, seconds, ttl)
		}
	}
}

// reading returns a command that reads an item. Before, it sends some commands that leave the item as it is.
func (l *load) reading(c *retrying, k *loaded) string {
	switch rand.IntN(8) {
	case 0:
		return "mg " + k.name + " v f t\r\n"
	case 1:
		return fmt.Sprintf("gat %d %s\r\n", ttl, k.name)
	case 2:
		c.do(fmt.Sprintf("touch %s %d\r\n", k.name, ttl))
	case 3:
		if l.frozen {
			c.do("add " + k.name + " 0 1 1\r\nx\r\n") // stored only if the item is missing: the read then finds an old value
		}
	}
	return "get " + k.name + "\r\n"
}

// retrying is a client that connects again and repeats the command when its connection is closed, as clients do.
type retrying struct {
	*client
	load        *load
	connections int
}

func (r *retrying) do(command string) []response {
	for range 100 {
		var err error
		if r.client == nil {
			if r.client, err = newClient(r.load.to.any()); err != nil {
				r.client = nil
				continue // a proxy that has just ended
			}
		}
		all, err := r.client.do(command)
		if err != nil {
			r.load.closed.Add(1)
			r.connections++
			r.connection.Close()
			r.client = nil
			continue
		}
		for _, each := range all {
			if strings.Contains(each.line, "ERROR") {
				r.load.fail("%.60q returned %s", command, each.line)
			}
		}
		return all
	}
	r.load.fail("%.60q: no proxy", command)
	return nil
}

// fillAll stores every item.
func (l *load) fillAll(t testing.TB) {
	t.Helper()
	c := dialClient(t, l.to.any())
	for _, each := range l.keys {
		state := uint64(next | exists)
		value, flags := each.value(state)
		if got := lines(c.must(t, fmt.Sprintf("set %s %d %d %d\r\n%s\r\n", each.name, flags, ttl, len(value), value))); got != "STORED" {
			t.Fatalf("set returned %s", got)
		}
		each.state.Store(state)
	}
}
