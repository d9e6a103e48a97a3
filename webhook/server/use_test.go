package server

import (
	"maps"
	"slices"
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
		ended := first.until(time.Now())
		q.leave(first, 0)
		time.Sleep(halfLife)
		later := first.until(time.Now())
		// The first seconds count less than those that have just passed.
		if ended > 3*time.Second || ended < 2500*time.Millisecond || (later-ended/2).Abs() > time.Millisecond {
			t.Errorf("two requests, which have run for one and two seconds, have used %s, and a half-life later %s", ended, later)
		}
		q.leave(second, 0)
		time.Sleep(20 * halfLife)
		q.leave(q.enter("b", 1), 0)
		if len(q.namespaces) > 0 {
			t.Errorf("%d namespaces remain that use no time", len(q.namespaces))
		}
	})
}

// TestRefusalsAreRemembered: the parents of a namespace of which many have been refused return late, also if none has run.
func TestRefusalsAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		refused := q.enter("a", 1)
		for range 10 {
			_ = refused.refuse(time.Now())
		}
		q.leave(refused, 0)
		q.leave(q.enter("b", 1), 0)
		if q.namespaces["a"] == nil || q.namespaces["b"] != nil {
			t.Errorf("the namespaces %v remain, want the one that was refused", slices.Collect(maps.Keys(q.namespaces)))
		}
	})
}
