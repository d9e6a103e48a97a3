package server

import (
	"maps"
	"math"
	"sync"
	"sync/atomic"
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
	small, large lane
	requests     int           // that have a place or wait for one
	used         time.Duration // of the clock, at a time, see usedAt
	at           time.Time
}

// lane has the places of small or of large requests, and counts those that have one and do not run, because they wait for others.
type lane struct {
	places chan struct{}
	held   atomic.Int32
}

// clock is as fast as a request runs: with two at the same time, which share the CPU, half as fast as time.
type clock struct {
	reads   time.Duration
	at      time.Time
	running int
}

func (c *clock) read(now time.Time) time.Duration {
	c.reads += now.Sub(c.at) / time.Duration(max(1, c.running))
	c.at = now
	return c.reads
}

// visit is a request of a namespace between enter and leave.
type visit struct {
	*namespace
	began   time.Duration // of the clock
	running bool
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

// enter returns a visit, which ends with leave, or nil if too many requests of busy namespaces run or wait.
func (p *places) enter(name string) *visit {
	p.guard.Lock()
	defer p.guard.Unlock()
	entered, now := p.namespaces[name], time.Now()
	if entered == nil {
		entered = &namespace{small: lane{places: make(chan struct{}, p.ofNamespace)}, large: lane{places: make(chan struct{}, p.ofNamespace)}}
		p.namespaces[name] = entered
	}
	if entered.isBusy(now) && !p.mayEnter(entered, now) {
		return nil
	}
	entered.requests++
	return &visit{namespace: entered}
}

// mayEnter returns whether a busy namespace has fewer requests than the others leave it.
func (p *places) mayEnter(entered *namespace, now time.Time) bool {
	namespaces, requests := 1, entered.requests
	for _, each := range p.namespaces {
		if each != entered && each.requests > 0 && each.isBusy(now) {
			namespaces++
			requests += each.requests
		}
	}
	return requests < maxBusy && entered.requests < min(maxBusyOfOne, max(1, maxBusy/namespaces))
}

// start begins to count a request, which has all its places now.
func (p *places) start(v *visit) {
	p.guard.Lock()
	defer p.guard.Unlock()
	v.began, v.running = p.clock.read(time.Now()), true
	p.clock.running++
}

// leave ends a visit.
func (p *places) leave(v *visit) {
	p.guard.Lock()
	defer p.guard.Unlock()
	now := time.Now()
	v.requests--
	if v.running {
		v.used, v.at = v.usedAt(now)+p.clock.read(now)-v.began, now
		p.clock.running--
	}
	maps.DeleteFunc(p.namespaces, func(_ string, each *namespace) bool {
		return each.requests == 0 && each.usedAt(now) < time.Millisecond
	})
}

func (n *namespace) isBusy(now time.Time) bool { return n.usedAt(now) > smallUse }

// usedAt returns how much of the clock requests have used. What they have used before halfLife counts half.
func (n *namespace) usedAt(now time.Time) time.Duration {
	return time.Duration(float64(n.used) * math.Exp2(-float64(now.Sub(n.at))/float64(halfLife)))
}
