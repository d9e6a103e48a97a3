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
)

// tooMany returns a request if too many wait that have not begun. It is the last one of the largest of the namespace that has used the most.
//
// How many bytes wait does not matter: a limit of 20 MiB refused caches of 1,000 pods with 7 MB each, whose namespaces had used nothing.
func (q *queue) tooMany(now time.Time) *request {
	waiting := slices.Clone(q.waiting)
	waiting = slices.DeleteFunc(waiting, func(each *request) bool { return each.begun })
	slices.Reverse(waiting)
	slices.SortStableFunc(waiting, func(a, b *request) int {
		return cmp.Or(cmp.Compare(b.until(now), a.until(now)), cmp.Compare(b.class, a.class))
	})
	average := q.average(now)
	for i, each := range waiting {
		if i >= maxWaiting && time.Duration(i+1)*each.until(now) > maxWaiting*average {
			return waiting[0]
		}
	}
	return nil
}

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
