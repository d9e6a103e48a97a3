package paired

import (
	"context"
	"math/rand/v2"
	"time"
)

// hotness is the exponent of the Zipf distribution of reads.
const hotness = 1.4

// worker is one client, with a connection to each cache.
type worker struct {
	*Load
	id      int
	ctx     context.Context
	random  *rand.Rand
	popular func() int
	conns   [Caches]*connection
}

// writes are the commands that write, as often as they are listed.
var writes = []string{"set", "set", "replace", "append", "cas", "cas", "incr", "incr", "delete", "delete", "touch"}

// work reads many items and writes some, a batch at a time.
func (l *Load) work(ctx context.Context, id int) {
	w := &worker{Load: l, id: id, ctx: ctx, random: rand.New(rand.NewPCG(uint64(id), 0))}
	used := len(l.states) / 2
	zipf := rand.NewZipf(w.random, hotness, 1, uint64(used-1))
	// The most popular items are scattered over all items, because the first ones are evicted while the caches are filled.
	w.popular = func() int { return int(zipf.Uint64()*15_485_863%uint64(used)) * 2 }
	for cache, to := range l.To {
		w.conns[cache] = &connection{to: to}
		defer w.conns[cache].close()
	}
	for i, item := range l.Spoiled {
		if writer(item) == id {
			w.write(item, []string{"set", "delete"}[i/clients%2])
		}
	}
	next := time.Now()
	for ctx.Err() == nil {
		var items [batch]int
		for i := range items {
			items[i] = w.popular()
		}
		w.read(items[:])
		for cache, missed := range l.missed[id].take() {
			w.storeAgain(cache, missed)
		}
		item := w.popular()
		if w.random.IntN(2) == 0 {
			item = w.random.IntN(used) * 2
		}
		verb := writes[w.random.IntN(len(writes))]
		if w.KeepAll && verb == "delete" {
			verb = "set"
		}
		w.write(w.own(item), verb)
		if next = next.Add(l.pace); time.Until(next) < -time.Second {
			next = time.Now() // a slow machine does not catch up
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(next)):
		}
	}
}

// own returns an item near another one that this client writes.
func (w *worker) own(item int) int {
	item /= 2
	last := len(w.states)/2 - clients
	return (min(item-item%clients, last-last%clients) + w.id) * 2
}

// writer returns the client that writes an item.
func writer(item int) int { return item / 2 % clients }
