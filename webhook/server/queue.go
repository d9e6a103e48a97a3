package server

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// queue decides which requests run: build their objects and run their rules. Metacontroller sends 40 at the same time, and each can take a second of CPU
// time. The requests of one namespace do not delay those of others, because first runs the one whose namespace has used the least time.
type queue struct {
	cpus, turns int // how many requests run, and how many large ones have begun, at the same time

	guard      sync.Mutex
	requests   int       // from their entry until they leave
	restSince  time.Time // when the last one left
	busySince  time.Time // the entry of the first one after the last rest
	running    int
	recent     use // of all namespaces
	namespaces map[string]*namespace
	begun      [huge + 1]int
	waiting    []*request // in the order in which they came
	begins     int        // how many requests have begun until now
}

// request is one that runs, waits, or has been refused, until it leaves.
type request struct {
	class
	*namespace
	length      int64
	since       time.Time // its entry
	begun, runs bool
	ran         time.Duration // how long it ran until it last stopped
	runsSince   time.Time
	decision    chan error // nil when the request runs, or why it is refused
}

// namespace is a namespace of parents: requests about them share its use.
type namespace struct {
	use
	requests int
	large    int           // requests above small that have begun
	refused  use           // each refusal of the queue counts as a second
	perByte  time.Duration // what a byte of the last request above small has used; known as long as the namespace is
}

const (
	// maxSmall is how many small requests have begun at the same time: 200 of them need more memory than the hook has.
	maxSmall = 16
	// minTurns is how many requests above small have begun at the same time on one CPU: a huge one, a big one, and one that is smaller than these. With
	// more, the objects of large bodies of many namespaces would exceed the limit, and syncs of others would get 429.
	minTurns = 3
	// maxLarge is how many large requests have begun at the same time, with those that have no turn.
	maxLarge = 6
	// beginsByAge is after how many requests, at the latest, the large one begins that has waited longest. Small ones that twelve namespaces sync without a
	// rest would otherwise run before one of 1,000 pods for ever.
	beginsByAge = 4
	// bigBytes is the size from which few requests begin at the same time, so that smaller ones of many namespaces find a turn, such as syncs of 100 pods with
	// 0.8 MB: 4 MB of small pods with 200 labels cost 0.1 seconds of CPU time.
	bigBytes = 4 << 20
	// maxWait is how long a request waits for others. Metacontroller gives up after ten seconds, and tries again. Without an end, requests
	// whose callers have given up would stay in the queue, and those of others would wait for more than a minute.
	maxWait = 4 * time.Second
)

func newQueue(cpus int) *queue {
	return &queue{
		cpus:       max(1, cpus-1), // the last CPU receives and refuses requests
		turns:      max(minTurns, cpus),
		recent:     use{halfLife: time.Second},
		namespaces: map[string]*namespace{},
	}
}

// enter adds a request of a namespace, which waits for a decision.
func (q *queue) enter(name string, length int64) *request {
	q.guard.Lock()
	defer q.guard.Unlock()
	n := q.namespaces[name]
	if n == nil {
		n = &namespace{}
		q.namespaces[name] = n
	}
	n.requests++
	now := time.Now()
	if q.requests == 0 && now.Sub(q.restSince) >= rest {
		q.busySince = now
	}
	q.requests++
	r := &request{class: classOf(length), length: max(length, 0), since: now, namespace: n, decision: make(chan error, 1)}
	q.waiting = append(q.waiting, r)
	q.decide()
	return r
}

// pause lets others run while a request waits for its caller or for memory.
func (q *queue) pause(r *request) {
	q.guard.Lock()
	defer q.guard.Unlock()
	q.stop(r)
	q.decide()
}

// yield lets a request that runs, or has paused, wait for another decision.
func (q *queue) yield(r *request) {
	q.guard.Lock()
	defer q.guard.Unlock()
	q.stop(r)
	q.waiting = append(q.waiting, r)
	q.decide()
}

// leave ends a request, of whose body so many bytes were read.
func (q *queue) leave(r *request, read int64) {
	q.guard.Lock()
	defer q.guard.Unlock()
	q.stop(r)
	q.remove(r)
	if r.begun {
		q.begin(r, -1)
		r.learn(read)
	}
	r.requests--
	q.requests--
	q.decide()
	now := time.Now()
	q.restSince = now
	maps.DeleteFunc(q.namespaces, func(_ string, each *namespace) bool {
		return each.requests == 0 && each.until(now)+each.refused.until(now) < time.Millisecond
	})
}

// countSmall returns the number of small requests that have begun.
func (q *queue) countSmall() int {
	q.guard.Lock()
	defer q.guard.Unlock()
	return q.begun[small]
}

// decide lets requests run, and refuses those that would wait for too long.
func (q *queue) decide() {
	now := time.Now()
	for q.running < q.cpus {
		next := q.next(now)
		if next == nil {
			break
		}
		if !next.begun {
			q.begin(next, 1)
			q.begins++
		}
		q.run(next, 1, now)
		q.remove(next)
		next.decision <- nil
	}
	for now.Sub(q.busySince) > maxBusy {
		last := q.tooMany(now)
		if last == nil {
			break
		}
		q.remove(last)
		last.decision <- last.refuse(now)
	}
}

// next returns the request that runs next: of those that may, the one whose namespace has used the least. Of one that has begun, half of it counts, so
// that it ends before others begin. A larger one that has not begun counts with what it will use, and as one of a namespace that has used lightUse:
// otherwise those of many namespaces that sync now and then all run before a smaller one. Of one namespace, small ones run first. Now and then, it is the
// large one that has waited longest.
func (q *queue) next(now time.Time) (next *request) {
	if q.begins%beginsByAge == beginsByAge-1 {
		longest := slices.IndexFunc(q.waiting, func(r *request) bool { return !r.begun && r.class > small && q.mayRun(r, now) })
		if longest >= 0 {
			return q.waiting[longest]
		}
	}
	var least time.Duration
	for _, each := range q.waiting {
		used := each.until(now)
		if each.begun {
			used /= 2
		} else if each.class > small {
			used = max(used, lightUse) + each.willUse()
		}
		if q.mayRun(each, now) && (next == nil || used < least || used == least && each.class < next.class) {
			next, least = each, used
		}
	}
	return next
}

// mayRun reports whether a request has begun or may begin. Big ones begin one at a time. But one that has begun runs only when no request of less use may,
// and can hold its turn for seconds. So a second one, and some without a turn, may begin if their namespaces have used little.
func (q *queue) mayRun(r *request, now time.Time) bool {
	switch {
	case r.begun:
		return true
	case r.class == small:
		return q.begun[small] < maxSmall
	case r.large >= q.cpus, r.class == huge && q.begun[huge] > 0, r.class == big && q.begun[big] > 1:
		return false
	case r.class == big && q.begun[big] == 1:
		return r.until(now) <= lightUse
	case q.begun[large]+min(q.begun[big], 1)+q.begun[huge] >= q.turns:
		return r.until(now) <= lightUse && (r.class == big || r.class == large && q.begun[large] < maxLarge)
	}
	return true
}

func (q *queue) stop(r *request) {
	if r.runs {
		q.run(r, -1, time.Now())
	}
}

func (q *queue) run(r *request, more int, now time.Time) {
	if r.runs = more > 0; r.runs {
		r.runsSince = now
	} else {
		r.ran += now.Sub(r.runsSince)
	}
	r.run(more, now)
	q.recent.run(more, now)
	q.running += more
}

func (q *queue) begin(r *request, more int) {
	r.begun = true
	q.begun[r.class] += more
	if r.class != small {
		r.large += more
	}
}

func (q *queue) remove(r *request) {
	q.waiting = slices.DeleteFunc(q.waiting, func(each *request) bool { return each == r })
}
