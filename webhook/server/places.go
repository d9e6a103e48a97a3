package server

import (
	"maps"
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
	debt     time.Duration // for which requests have run, less what time has repaid
	at       time.Time     // of the debt
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
	maxOwnWait = time.Second
	// repayment is the time that repays a second for which requests of a namespace have run. With a debt of more than maxOwnWait, they do not wait for
	// each other: those of hundreds of parents would keep all workers, although none of them waits for long. Syncs of 200 parents with 3 pods run for
	// less than maxOwnWait.
	repayment = 4
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
	return entered.places, entered.debtAt(time.Now()) <= maxOwnWait
}

// leave ends a request, which has had all its places since a time.
func (p *places) leave(key namespaceKey, running time.Time) {
	p.guard.Lock()
	defer p.guard.Unlock()
	left, now := p.namespaces[key], time.Now()
	left.requests--
	if !running.IsZero() {
		left.debt = min(left.debtAt(now)+now.Sub(running), 2*maxOwnWait)
		left.at = now
	}
	maps.DeleteFunc(p.namespaces, func(_ namespaceKey, each *namespacePlaces) bool { return each.requests == 0 && each.debtAt(now) == 0 })
}

// debtAt returns for how long requests have run lately.
func (n *namespacePlaces) debtAt(now time.Time) time.Duration {
	return max(0, n.debt-now.Sub(n.at)/repayment)
}
