// Package paired sends the same commands to two caches, one of which changes, and verifies each value that it reads. So the difference
// of their hit ratios is that of the change, and not that of two random loads.
//
// One client writes each item, and all clients read it. A client that misses an item asks the client that writes the item to store it
// again, as a client does that reads a database. If each reader stored the item, a reader could undo a write without any cache.
package paired

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	clients = 6
	// batch is the number of reads that a client sends before it waits for responses.
	batch = 32
)

// Load is a load of two caches. Clients use the items with an even number, and never those with an odd number, which only Fill stores.
type Load struct {
	*Statistics
	To [Caches]*Endpoints
	// Spoiled are items that clients write and delete first.
	Spoiled []int
	// KeepAll is for clients that delete no item, so that a read of an item that does not exist is a miss of the cache.
	KeepAll bool

	sizes  Sizes
	states []atomic.Uint64 // a state for each item
	missed [clients]mailbox
	pace   time.Duration // between two batches of a client
}

// New returns a load of a number of items and of reads per second.
func New(sizes Sizes, items, readsPerSecond int) *Load {
	l := &Load{Statistics: newStatistics(), sizes: sizes, states: make([]atomic.Uint64, items+items%2),
		pace: time.Second * clients * batch / time.Duration(readsPerSecond)}
	for i := range l.To {
		l.To[i] = &Endpoints{}
	}
	return l
}

func (l *Load) state(item int) state { return state(l.states[item].Load()) }

func (l *Load) set(item int, s state) { l.states[item].Store(uint64(s)) }

// mailbox has the items that a cache misses, for the client that writes them.
type mailbox struct {
	mutex sync.Mutex
	items [Caches][]int
}

func (m *mailbox) add(cache, item int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.items[cache] = append(m.items[cache], item)
}

func (m *mailbox) take() (items [Caches][]int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	items, m.items = m.items, items
	return items
}

// Fill stores all items in both caches at the same time, for at least a duration, so that their ages differ. If they do not fit, later
// items evict earlier ones.
func (l *Load) Fill(ctx context.Context, duration time.Duration) error {
	for i := range l.states {
		l.set(i, oneVersion)
	}
	var group sync.WaitGroup
	var errs [Caches]error
	for cache, to := range l.To {
		group.Go(func() { errs[cache] = l.fill(ctx, &connection{to: to}, duration) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("fill the caches: %w", err)
		}
	}
	return nil
}

func (l *Load) fill(ctx context.Context, c *connection, duration time.Duration) error {
	defer c.close()
	start := time.Now()
	var commands []byte
	for item := range l.states {
		commands = append(commands, l.FirstCommand(item)...)
		if len(commands) < 1<<18 && item < len(l.states)-1 {
			continue
		}
		if err := store(ctx, c, string(commands)); err != nil {
			return err
		}
		commands = commands[:0]
		time.Sleep(time.Until(start.Add(duration * time.Duration(item) / time.Duration(len(l.states)))))
	}
	return nil
}

// store sends commands of which only errors have a response, again after errors of a proxy that does not reach a server.
func store(ctx context.Context, c *connection, commands string) error {
	for tries := 1; ; tries++ {
		failed, _, err := c.do(ctx, commands)
		if err != nil || len(failed) == 0 {
			return err
		}
		if tries == 10 {
			return fmt.Errorf("%d items: %s", len(failed), failed[0].line)
		}
		time.Sleep(300 * time.Millisecond) // a proxy does not connect to such a server immediately again
	}
}

// FirstCommand returns the command that stores the first version of an item.
func (l *Load) FirstCommand(item int) string {
	text := l.sizes.value(item, 1)
	return fmt.Sprintf("ms %s %d q\r\n%s\r\n", KeyOf(item), len(text), text)
}

// Len returns the number of items.
func (l *Load) Len() int { return len(l.states) }

// Run starts the clients, which stop when the returned function is called.
func (l *Load) Run(ctx context.Context) (stop func()) {
	l.Statistics = newStatistics()
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() { l.work(ctx, i) })
	}
	return func() { cancel(); group.Wait() }
}
