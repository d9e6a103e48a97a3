package server

import (
	"cmp"
	"slices"
	"time"
)

const (
	// maxBusy is how long the hook has no rest before requests that wait are refused.
	maxBusy = 1500 * time.Millisecond
	// rest is a time without requests. It shows that Metacontroller's queue is empty: otherwise one of the ten workers sends a request sooner, although
	// each may encode a large one.
	rest = 50 * time.Millisecond
	// maxWaiting is how many requests may then wait that have not begun. Twice as many may wait whose namespaces have used half of the average, and so on.
	// The others get 429, and return in one to three seconds. They leave Metacontroller's ten workers, which take the parents of all namespaces from one
	// queue, to other namespaces.
	maxWaiting = 3
	// lightUse is what a namespace has used that needs a 14th of the hook's time. Namespaces that have used less do not count in the average, so that many
	// of them, which wait for nothing, do not lower it.
	lightUse = 300 * time.Millisecond
	// maxBytesWaiting is the size of the big and huge requests that then wait and have not begun, if there are several. They wait for a turn, and would keep
	// the workers for seconds, also if their namespaces have used nothing. Five caches of 1,000 pods, with 7 MB each, may wait.
	maxBytesWaiting = 40 << 20
	// useOfByte is what a byte of 1,000 pods needs. A byte of other objects needs up to ten times as much. With that figure, caches of 1,000 pods would be
	// refused before namespaces that use all of the time.
	useOfByte = 10 * time.Nanosecond
)

// tooMany returns a request if too many wait that have not begun, or big ones with too many bytes. Of these, it is the last one of those whose namespaces
// have used the most, including the request.
func (q *queue) tooMany(now time.Time) *request {
	waiting := slices.Clone(q.waiting)
	waiting = slices.DeleteFunc(waiting, func(each *request) bool { return each.begun })
	slices.Reverse(waiting)
	use := func(r *request) time.Duration { return r.until(now) + r.useOfSize() }
	slices.SortStableFunc(waiting, func(a, b *request) int { return cmp.Compare(use(b), use(a)) })
	average := q.average(now)
	var bigOnes []*request
	var bytes int64
	for i, each := range waiting {
		if i >= maxWaiting && time.Duration(i+1)*each.until(now) > maxWaiting*average {
			return waiting[0]
		}
		if each.class < big {
			continue
		}
		bigOnes, bytes = append(bigOnes, each), bytes+each.length
		if len(bigOnes) > 1 && bytes > maxBytesWaiting {
			return bigOnes[0]
		}
	}
	return nil
}

// useOfSize returns what a request will use at least, by its size; 0 if that is unknown.
func (r *request) useOfSize() time.Duration { return time.Duration(r.length) * useOfByte }

// average returns what the namespaces have used on average that have used more than lightUse.
func (q *queue) average(now time.Time) time.Duration {
	var sum, count time.Duration
	for _, each := range q.namespaces {
		if used := each.until(now); used > lightUse {
			sum += used
			count++
		}
	}
	return max(sum/max(count, 1), lightUse)
}
