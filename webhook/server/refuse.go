package server

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/composite"
)

const (
	// maxBusy is how long the hook has no rest before requests that wait are refused.
	maxBusy = 1500 * time.Millisecond
	// rest is a time without requests. It shows that Metacontroller's queue is empty: otherwise one of the ten workers sends a request sooner, although
	// each may encode a large one.
	rest = 50 * time.Millisecond
	// maxRecent is what requests must have used recently on each CPU before small ones are refused: what remains of maxBusy after it has passed. Otherwise, a
	// few cheap requests that leave no rest would be enough to refuse a namespace that changes 24 caches together.
	maxRecent = 900 * time.Millisecond
	// maxWaiting is how many requests may then wait that have not begun. Twice as many may wait whose namespaces have used half of the average, and so on.
	// The others get 429, and return after 1 to 32 seconds. They leave Metacontroller's ten workers, which take the parents of all namespaces from one
	// queue, to other namespaces.
	maxWaiting = 3
	// lightUse is what a namespace has used that needs a 14th of the hook's time.
	lightUse = 300 * time.Millisecond
	// maxLargeWaiting is how many big requests, and how many smaller ones above small, then wait that have not begun. They wait for a turn, and would keep
	// the workers for seconds, also if their namespaces have used nothing.
	maxLargeWaiting = 5
	// maxLargeWait is how long one of them waits before they are too many. If they only wait until another one ends, they keep no worker for long.
	maxLargeWait = 500 * time.Millisecond
	// maxBytesWaiting is the size of the big ones, if there are several. Five caches of 1,000 pods, with 7 MB each, may wait.
	maxBytesWaiting = 40 << 20
	// A refused request returns after a random time up to maxRetry, and up to maxLater more because others of its namespace have been refused.
	maxRetry = 2 * time.Second
	maxLater = 30 * time.Second
	// useOfByte is what a byte of 1,000 pods needs. A byte of other objects needs up to five times as much. With that figure, or with what the last request
	// has used, caches of 1,000 pods would be refused before namespaces that use all of the time.
	useOfByte = 10 * time.Nanosecond
)

// tooMany returns a request if too many wait that have not begun: the last one of those whose namespaces have used the most, including the request. If
// only the large ones are too many, it returns one of them.
func (q *queue) tooMany(now time.Time) *request {
	waiting := slices.Clone(q.waiting)
	waiting = slices.DeleteFunc(waiting, func(each *request) bool { return each.begun })
	slices.Reverse(waiting)
	use := func(r *request) time.Duration { return r.until(now) + r.useOfSize() }
	slices.SortStableFunc(waiting, func(a, b *request) int { return cmp.Compare(use(b), use(a)) })
	if q.recent.until(now) <= maxRecent*time.Duration(q.cpus) {
		return tooManyLarge(waiting, now)
	}
	average := q.average(now)
	for i, each := range waiting {
		if i >= maxWaiting && time.Duration(i+1)*each.until(now) > maxWaiting*average {
			return waiting[0]
		}
	}
	return tooManyLarge(waiting, now)
}

// tooManyLarge returns one of the requests above small if too many of them wait. Big ones and smaller ones count apart, so that no sync of 100 pods is
// refused for those of 1,000 pods, nor the other way round.
func tooManyLarge(waiting []*request, now time.Time) *request {
	var kinds [big + 1][]*request
	for _, each := range waiting {
		kind := min(each.class, big)
		kinds[kind] = append(kinds[kind], each)
	}
	for _, kind := range kinds[large:] {
		if areTooMany(kind, now) {
			return firstOfMost(kind)
		}
	}
	return nil
}

func areTooMany(waiting []*request, now time.Time) bool {
	var bytes int64
	var waited time.Duration
	for _, each := range waiting {
		bytes, waited = bytes+each.length, max(waited, now.Sub(each.since))
	}
	return waited > maxLargeWait && (len(waiting) > maxLargeWaiting || len(waiting) > 1 && bytes > maxBytesWaiting)
}

// firstOfMost returns the first request of the namespace that has the most. Its requests may have used little time so far: otherwise 16 caches of one
// namespace, whose syncs need a few milliseconds, would make the hook refuse one of 500 pods again and again.
func firstOfMost(waiting []*request) *request {
	counts := map[*namespace]int{}
	for _, each := range waiting {
		counts[each.namespace]++
	}
	return slices.MaxFunc(waiting, func(a, b *request) int { return cmp.Compare(counts[a.namespace], counts[b.namespace]) })
}

// refuse returns errBusy, and when the request may return: the more of its namespace have been refused recently, the later. Thousands of parents, which
// Metacontroller syncs together every five minutes, would otherwise return every two seconds, and fill its queue until all have run.
func (n *namespace) refuse(now time.Time) error {
	n.refused.add(time.Second, now)
	return &composite.RetryError{Err: errBusy, After: rand.N(maxRetry + min(n.refused.until(now), maxLater))}
}

// useOfSize returns what a request will use at least, by its size; 0 if that is unknown.
func (r *request) useOfSize() time.Duration { return time.Duration(r.length) * useOfByte }

// average returns what the namespaces have used on average that have requests, or have used more than lightUse; at least lightUse. Those that have used
// little and wait for nothing do not lower it.
func (q *queue) average(now time.Time) time.Duration {
	var sum, count time.Duration
	for _, each := range q.namespaces {
		if used := each.until(now); each.requests > 0 || used > lightUse {
			sum += used
			count++
		}
	}
	return max(sum/max(count, 1), lightUse)
}
