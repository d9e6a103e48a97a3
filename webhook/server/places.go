package server

import (
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
	namespaces map[string]*namespacePlaces
}

// namespacePlaces are those of the requests of a namespace: one for each CPU.
type namespacePlaces struct {
	places   chan struct{}
	requests int // that have a place or wait for one
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
)

func newPlaces(cpus int) *places {
	return &places{
		running:    make(chan struct{}, maxRunning),
		turns:      make(chan struct{}, max(minTurns, cpus)),
		big:        make(chan struct{}, 1),
		huge:       make(chan struct{}, 1),
		cpus:       cpus,
		namespaces: map[string]*namespacePlaces{},
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

// enter returns the places of a namespace, until the request leaves.
func (p *places) enter(namespace string) chan struct{} {
	p.guard.Lock()
	defer p.guard.Unlock()
	entered := p.namespaces[namespace]
	if entered == nil {
		entered = &namespacePlaces{places: make(chan struct{}, p.cpus)}
		p.namespaces[namespace] = entered
	}
	entered.requests++
	return entered.places
}

func (p *places) leave(namespace string) {
	p.guard.Lock()
	defer p.guard.Unlock()
	entered := p.namespaces[namespace]
	if entered.requests--; entered.requests == 0 {
		delete(p.namespaces, namespace)
	}
}
