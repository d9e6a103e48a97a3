//go:build servers

package servers

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The clients of a paired load. A batch is what a client sends before it waits for responses.
const (
	pairedWorkers = 8
	batchReads    = 32
	// hotness is the exponent of the Zipf distribution of reads. About a third of the items is never read in a minute.
	hotness = 1.4
)

// The two caches of a paired load.
const (
	changed = iota
	control
	caches
)

// pairedLoad sends the same reads, writes and deletions to two caches, one of which changes, so that the difference of their hit
// ratios is that of the change, and not that of two random loads.
//
// One worker writes each key, and all workers read it. A worker that misses an item asks the worker that writes the key to store it
// again, as a client does that reads a database. If each reader stored the item, a reader could undo a write without any cache.
type pairedLoad struct {
	sizes   []int // of values, of which each key has one
	to      [caches]*endpoints
	keys    []atomic.Uint64 // a keyState for each key
	workers [pairedWorkers]mailbox
	pace    time.Duration // between two batches of a worker
	// spoiled are keys that the workers write and delete first.
	spoiled   []int
	ended     atomic.Bool
	deletions atomic.Uint64

	mutex   sync.Mutex
	start   time.Time // of the current seconds
	seconds []second
	errors  []string
	// old counts reads that found a value older than the last acknowledged one, and deleted those after an acknowledged deletion.
	old, deleted int
}

// keyState is the last acknowledged write of a key: a version, which each write and each deletion increments, and some flags.
type keyState uint64

const (
	isDeleted keyState = 1 << iota
	// isUncertain follows a write whose connection was closed before the response. A server may still execute a part of it after
	// the repeated write, so what readers find is not known until the next write.
	isUncertain
	// isWritten is set while a write or a deletion is under way. Meanwhile, one cache can have the item, and the other one not.
	isWritten
	oneVersion
)

func (s keyState) version() uint64 { return uint64(s / oneVersion) }

// second has the reads of items in a second that exist and that nobody writes, and how many of them each cache found.
type second struct {
	reads int
	hits  [caches]int
}

func (s *second) add(other second) {
	s.reads += other.reads
	for cache := range caches {
		s.hits[cache] += other.hits[cache]
	}
}

// ratio returns the hit ratio of a cache in percent.
func (s second) ratio(cache int) float64 {
	return 100 * float64(s.hits[cache]) / float64(max(s.reads, 1))
}

// behind returns how many percent points the hit ratio of the changed cache is below that of the control.
func (s second) behind() float64 {
	return s.ratio(control) - s.ratio(changed)
}

// mailbox has the keys that a cache misses, for the worker that writes them.
type mailbox struct {
	mutex  sync.Mutex
	missed [caches][]int
}

func (m *mailbox) add(cache, key int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.missed[cache] = append(m.missed[cache], key)
}

func (m *mailbox) take() (missed [caches][]int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	missed, m.missed = m.missed, missed
	return missed
}

func (l *pairedLoad) state(key int) keyState { return keyState(l.keys[key].Load()) }

func keyName(key int) string { return fmt.Sprintf("item-%07d", key) }

// size returns the size of a value. Of mixed sizes, each is half as frequent as the one before it.
func (l *pairedLoad) size(key int) int {
	scattered := uint32(key) * 2654435761 >> 16
	for i, size := range l.sizes {
		if scattered&(1<<i) != 0 {
			return size
		}
	}
	return l.sizes[0]
}

var padding = strings.Repeat("x", 1<<20)

// appendValue appends a value, which names its key and its version.
func (l *pairedLoad) appendValue(b []byte, key int, version uint64) []byte {
	length := len(b) + l.size(key)
	b = fmt.Appendf(b, "%s %d ", keyName(key), version)
	return append(append(b, padding[:length-len(b)]...), "\r\n"...)
}

// appendSet appends a command that stores a value: set or ms, by the version.
func (l *pairedLoad) appendSet(b []byte, key int, version uint64, flags string) []byte {
	if version%2 == 0 && flags == "" {
		b = fmt.Appendf(b, "set %s 0 0 %d\r\n", keyName(key), l.size(key))
	} else {
		b = fmt.Appendf(b, "ms %s %d%s\r\n", keyName(key), l.size(key), flags)
	}
	return l.appendValue(b, key, version)
}

// fill stores all items in both caches at the same time, for at least a duration. Later items evict earlier ones.
func (l *pairedLoad) fill(t *testing.T, duration time.Duration) {
	t.Helper()
	for i := range l.keys {
		l.keys[i].Store(uint64(oneVersion))
	}
	start := time.Now()
	var group sync.WaitGroup
	for _, to := range l.to {
		group.Go(func() {
			c, err := newClient(to.any())
			if err != nil {
				l.fail("fill a cache: %v", err)
				return
			}
			defer c.connection.Close()
			var commands []byte
			for key := range l.keys {
				commands = l.appendSet(commands, key, 1, " q")
				if len(commands) < 1<<19 && key < len(l.keys)-1 {
					continue
				}
				if refused, err := c.do(string(commands)); err != nil || len(refused) > 0 {
					l.fail("fill a cache: %v %.200q", err, refused)
					return
				}
				commands = commands[:0]
				time.Sleep(time.Until(start.Add(duration * time.Duration(key) / time.Duration(len(l.keys)))))
			}
		})
	}
	group.Wait()
}

// run starts the workers, which stop when the returned function is called.
func (l *pairedLoad) run() (stop func()) {
	l.begin()
	var group sync.WaitGroup
	for i := range pairedWorkers {
		group.Go(func() { l.work(i) })
	}
	return func() { l.ended.Store(true); group.Wait() }
}

// begin starts to count seconds.
func (l *pairedLoad) begin() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.start, l.seconds = time.Now(), nil
}

// taken returns the seconds since begin.
func (l *pairedLoad) taken() []second {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return append([]second(nil), l.seconds...)
}

// passed returns how many seconds have begun since begin.
func (l *pairedLoad) passed() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return int(time.Since(l.start) / time.Second)
}

func (l *pairedLoad) fail(format string, args ...any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.errors = append(l.errors, fmt.Sprintf(format, args...))
}
