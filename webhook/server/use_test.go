package server

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestUse: what requests have used counts less and less, and also before they end.
func TestUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(3)
		first, second := q.enter("a", 1), q.enter("a", 1)
		time.Sleep(time.Second)
		q.pause(second)
		time.Sleep(time.Second)
		got := []time.Duration{first.until(time.Now())}
		q.leave(first)
		time.Sleep(halfLife)
		got = append(got, first.until(time.Now()))
		// The half-life makes it less than three seconds, and more than a second and a half times the half of it.
		if got[0] <= 2500*time.Millisecond || got[0] > 3*time.Second || (got[1]-got[0]/2).Abs() > time.Millisecond {
			t.Errorf("two requests, which have run for one and two seconds, have used %s, and a half-life later %s", got[0], got[1])
		}
		q.leave(second)
		time.Sleep(20 * halfLife)
		q.leave(q.enter("b", 1))
		if len(q.namespaces) > 0 {
			t.Errorf("%d namespaces remain that use no time", len(q.namespaces))
		}
	})
}
