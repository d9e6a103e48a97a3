package server

import (
	"maps"
	"math"
	"sync"
	"time"
)

// places limit how many requests build their objects and run their rules at the same time, and keep the requests of one namespace from delaying those
// of others: Metacontroller sends 40 at the same time, and each can take a second of CPU time.
type places struct {
	running chan struct{} // requests with at most smallBytes
	turns   chan struct{} // those with more
	big     chan struct{} // those with more than bigBytes
	huge    chan struct{} // those with more than reserveBytes

	cpus       int
	guard      sync.Mutex
	namespaces map[namespaceKey]*namespacePlaces
}

// namespaceKey has the requests that run one after the other: the large ones of a namespace, or the others, which do not wait for a turn of those.
type namespaceKey struct {
	namespace string
	large     bool
}

// namespacePlaces has one place for each CPU.
type namespacePlaces struct {
	places   chan struct{}
	requests int           // that have a place or wait for one
	used     time.Duration // at a time, see usedAt
	at       time.Time
}

const (
	// maxRunning is the number of small requests whose objects are built, and whose rules run, at the same time: 200 of them need more memory than the
	// hook has.
	maxRunning = 16
	// minTurns is how many large bodies are read, and their rules run, at the same time on one CPU: a huge one, a big one, and one that is smaller than
	// these. With more, the objects of large bodies of many namespaces would exceed the limit, and syncs of others would get 429.
	minTurns = 3
	// bigBytes is the size from which bodies are read one at a time, so that smaller ones of many namespaces find a turn, such as syncs of 100 pods with
	// 0.8 MB: the objects of 4 MB of Services with 115 labels and 115 annotations cost 0.3 seconds of CPU time.
	bigBytes = 4 << 20
	// maxWait is how long a request waits for others. Metacontroller gives up after ten seconds, and tries again. Without an end, requests
	// whose callers have given up would fill all places, and those of others would wait for more than a minute.
	maxWait = 4 * time.Second
	// maxOwnWait is how long a request waits for others of its namespace. Meanwhile it keeps one of the ten workers with which Metacontroller takes the
	// parents of all namespaces from one queue.
	maxOwnWait = 2 * time.Second
	// smallUse is for how long requests of a namespace may run within about halfLife. After that, they do not wait for each other: those of hundreds of
	// parents would keep all workers, although none of them waits for long. Syncs of 100 parents with proxies run for two seconds. A namespace that
	// has used at most half as much as another one has no limit: while a namespace keeps the CPU busy, requests of others run for longer.
	smallUse = 2 * time.Second
	halfLife = 4 * time.Second
)

func newPlaces(cpus int) *places {
	return &places{
		running:    make(chan struct{}, maxRunning),
		turns:      make(chan struct{}, max(minTurns, cpus)),
		big:        make(chan struct{}, 1),
		huge:       make(chan struct{}, 1),
		cpus:       cpus,
		namespaces: map[namespaceKey]*namespacePlaces{},
	}
}

// placesFor returns the places that a request takes after that of its namespace, one after the other: requests of a namespace that wait for each other
// keep no other place.
func (p *places) placesFor(b *body) []chan struct{} {
	switch {
	case b.isSmall():
		return []chan struct{}{p.running}
	case b.length < 0 || b.length > reserveBytes:
		return []chan struct{}{p.huge, p.turns}
	case b.length > bigBytes:
		return []chan struct{}{p.big, p.turns}
	}
	return []chan struct{}{p.turns}
}

// enter returns the places of a namespace, until the request leaves, and whether the request may wait for one of these or other places.
func (p *places) enter(key namespaceKey) (own chan struct{}, mayWait bool) {
	p.guard.Lock()
	defer p.guard.Unlock()
	entered := p.namespaces[key]
	if entered == nil {
		entered = &namespacePlaces{places: make(chan struct{}, p.cpus)}
		p.namespaces[key] = entered
	}
	entered.requests++
	now, most := time.Now(), time.Duration(0)
	for _, each := range p.namespaces {
		most = max(most, each.usedAt(now))
	}
	return entered.places, entered.usedAt(now) <= max(smallUse, most/2)
}

// leave ends a request, which has run for a time.
func (p *places) leave(key namespaceKey, ran time.Duration) {
	p.guard.Lock()
	defer p.guard.Unlock()
	left, now := p.namespaces[key], time.Now()
	left.requests--
	left.used, left.at = left.usedAt(now)+ran, now
	maps.DeleteFunc(p.namespaces, func(_ namespaceKey, each *namespacePlaces) bool {
		return each.requests == 0 && each.usedAt(now) < time.Millisecond
	})
}

// usedAt returns for how long requests have run. What they have run before halfLife counts half.
func (n *namespacePlaces) usedAt(now time.Time) time.Duration {
	return time.Duration(float64(n.used) * math.Exp2(-float64(now.Sub(n.at))/float64(halfLife)))
}
