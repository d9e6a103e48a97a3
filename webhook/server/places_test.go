package server

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBusyNamespaces: the requests of namespaces that use much of the hook's time are few, and the others of any number.
func TestBusyNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1)
		// use lets each namespace use a time of the clock.
		use := func(each time.Duration, of ...string) {
			var entered []*namespace
			for _, name := range of {
				entered = append(entered, p.enter(name))
				p.start(entered[len(entered)-1])
			}
			time.Sleep(time.Duration(len(of)) * each)
			for _, n := range entered {
				p.leave(n, true)
			}
		}
		enter := func(reason, of string, want int) (entered []*namespace) {
			for range 10 {
				if n := p.enter(of); n != nil {
					entered = append(entered, n)
				}
			}
			if len(entered) != want {
				t.Errorf("%s: %d of ten requests enter, want %d", reason, len(entered), want)
			}
			return entered
		}
		use(smallUse, "a")
		for _, n := range enter("it has used no more than it may", "a", 10) {
			p.leave(n, false)
		}
		use(4*smallUse, "a", "b", "c")
		entered := enter("it has used more", "a", maxBusyOfOne)
		entered = append(entered, enter("of two busy namespaces, each has a share", "b", maxBusy/2)...)
		entered = append(entered, enter("the shares are in use", "c", 0)...)
		for _, n := range append(entered, enter("a namespace that has used nothing", "calm", 10)...) {
			p.leave(n, false)
		}
		time.Sleep(20 * halfLife)
		use(0, "a")
		if len(p.namespaces) > 0 {
			t.Errorf("%d namespaces remain that use no time", len(p.namespaces))
		}
	})
}

// TestUse: requests that run at the same time share the hook's time, and what they have used counts less and less.
func TestUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1)
		a, b := p.enter("a"), p.enter("b")
		p.start(a)
		time.Sleep(time.Second)
		p.start(b)
		time.Sleep(2 * time.Second)
		p.leave(b, true)
		got := []time.Duration{p.usedBy(a), p.usedBy(b)}
		p.leave(a, true)
		time.Sleep(halfLife)
		got = append(got, p.usedBy(a), p.usedBy(b))
		want := []time.Duration{2 * time.Second, time.Second, time.Second, time.Second / 2}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(x, y time.Duration) bool { return (x - y).Abs() < time.Millisecond })); diff != "" {
			t.Errorf("a runs for three seconds, two of them together with b, and still at first (-want +got):\n%s", diff)
		}
	})
}
