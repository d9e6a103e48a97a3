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

	ofNamespace int // how many places a namespace has
	guard       sync.Mutex
	namespaces  map[string]*namespace
	clock       clock
}

// namespace has places for small requests and for large ones, which do not wait for each other.
type namespace struct {
	small, large chan struct{}
	requests     int           // that have a place or wait for one
	running      int           // that have one
	used         time.Duration // at a time and a reading of the clock, see usedBy
	at           time.Time
	reading      time.Duration
}

// clock is as fast as a request runs: with two at the same time, which share the CPU, half as fast as time.
type clock struct {
	reading time.Duration
	at      time.Time
	running int
}

func (c *clock) read(now time.Time) time.Duration {
	c.reading += now.Sub(c.at) / time.Duration(max(1, c.running))
	c.at = now
	return c.reading
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
	// smallUse is how much of the clock the requests of a namespace may use within about halfLife: an eighth of the hook's time. With more, it is busy.
	smallUse = 700 * time.Millisecond
	halfLife = 4 * time.Second
	// maxBusy is how many requests of busy namespaces run or wait, in equal shares; the others leave Metacontroller's workers to other namespaces, and
	// return in one to three seconds. A share is at most maxBusyOfOne, so that a second busy namespace finds a place.
	maxBusy      = 7
	maxBusyOfOne = 4
)

func newPlaces(cpus int) *places {
	return &places{
		running:     make(chan struct{}, maxRunning),
		turns:       make(chan struct{}, max(minTurns, cpus)),
		big:         make(chan struct{}, 1),
		huge:        make(chan struct{}, 1),
		ofNamespace: max(1, cpus-1), // Go uses two CPUs if the limit is one
		namespaces:  map[string]*namespace{},
		clock:       clock{at: time.Now()},
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

// enter returns a namespace, whose requests are one more until leave, or nil if too many requests of busy namespaces run or wait.
func (p *places) enter(name string) *namespace {
	p.guard.Lock()
	defer p.guard.Unlock()
	entered := p.namespaces[name]
	if entered == nil {
		entered = &namespace{small: make(chan struct{}, p.ofNamespace), large: make(chan struct{}, p.ofNamespace)}
		p.namespaces[name] = entered
	}
	if p.isBusy(entered) && !p.mayEnter(entered) {
		return nil
	}
	entered.requests++
	return entered
}

// mayEnter returns whether a busy namespace has fewer requests than the others leave it.
func (p *places) mayEnter(entered *namespace) bool {
	namespaces, requests := 1, entered.requests
	for _, each := range p.namespaces {
		if each != entered && each.requests > 0 && p.isBusy(each) {
			namespaces++
			requests += each.requests
		}
	}
	return requests < maxBusy && entered.requests < min(maxBusyOfOne, max(1, maxBusy/namespaces))
}

// start begins to count a request of a namespace, which has a place now. A wait for other places counts too: the others of the namespace, which wait for
// this request, would keep all workers.
func (p *places) start(n *namespace) {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.run(n, 1)
}

// leave ends a request, which has started or not.
func (p *places) leave(n *namespace, started bool) {
	p.guard.Lock()
	defer p.guard.Unlock()
	n.requests--
	if started {
		p.run(n, -1)
	}
	maps.DeleteFunc(p.namespaces, func(_ string, each *namespace) bool {
		return each.requests == 0 && p.usedBy(each) < time.Millisecond
	})
}

// run changes how many requests of a namespace run.
func (p *places) run(n *namespace, more int) {
	n.used = p.usedBy(n)
	n.at, n.reading = p.clock.at, p.clock.reading
	n.running += more
	p.clock.running += more
}

func (p *places) isBusy(n *namespace) bool { return p.usedBy(n) > smallUse }

// usedBy returns how much of the clock the requests of a namespace have used. What they have used before halfLife counts half.
func (p *places) usedBy(n *namespace) time.Duration {
	now := time.Now()
	before := float64(n.used) * math.Exp2(-float64(now.Sub(n.at))/float64(halfLife))
	return time.Duration(before) + time.Duration(n.running)*(p.clock.read(now)-n.reading)
}
