package server

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestClasses: requests of one namespace begin one after the other, and huge and big ones leave a turn to others. They wait for each other also
// while those that have begun are paused. Those of namespaces that have used much do not keep out one of a namespace that has used little.
func TestClasses(t *testing.T) {
	q := newQueue(2) // as with one CPU: the second one receives requests
	for _, test := range []struct {
		reason, namespace string
		length            int64
		used              time.Duration
		begins            bool
	}{
		{"the first huge one", "a", reserveBytes + 1, 0, true},
		{"another one of its namespace that is not small", "a", smallBytes + 1, 0, false},
		{"a small one of its namespace", "a", smallBytes, 0, true},
		{"another huge one, because its length is unknown", "b", -1, 0, false},
		{"the first big one", "c", bigBytes + 1, 2 * lightUse, true},
		{"another big one of a namespace that has used much", "d", reserveBytes, 2 * lightUse, false},
		{"a big one of a namespace that has used little", "e", bigBytes + 1, lightUse / 2, true},
		{"a third big one", "f", bigBytes + 1, 0, false},
		{"a large one has the third turn", "g", bigBytes, 0, true},
		{"all turns are taken", "h", smallBytes + 1, 2 * lightUse, false},
		{"a large one of a namespace that has used little needs no turn", "l", smallBytes + 1, lightUse / 2, true},
		{"a small one needs no turn", "i", 0, 0, true},
	} {
		if test.used > 0 {
			q.namespaces[test.namespace] = &namespace{use: use{used: test.used, at: time.Now()}}
		}
		r := q.enter(test.namespace, test.length)
		if r.begun != test.begins {
			t.Errorf("%s: it has begun: %t, want %t", test.reason, r.begun, test.begins)
		}
		q.pause(r)
	}
	for i := range maxLarge - q.begun[large] {
		q.pause(q.enter(strconv.Itoa(i), bigBytes))
	}
	if q.begun[large] != maxLarge || q.enter("m", bigBytes).begun {
		t.Errorf("%d large requests have begun, want %d", q.begun[large], maxLarge)
	}
	for range maxSmall - q.countSmall() {
		q.pause(q.enter("j", 1))
	}
	if q.enter("k", 1).begun {
		t.Errorf("more than %d small requests have begun", maxSmall)
	}
}

// TestBigWithoutTurn: large requests of namespaces that have used much can have all turns for seconds. Meanwhile a cache of 1,000 pods may begin.
func TestBigWithoutTurn(t *testing.T) {
	q := newQueue(1)
	for i := range minTurns {
		name := strconv.Itoa(i)
		q.namespaces[name] = &namespace{use: use{used: 2 * lightUse, at: time.Now()}}
		q.pause(q.enter(name, bigBytes))
	}
	if q.enter("huge", reserveBytes+1).begun || !q.enter("calm", bigBytes+1).begun {
		t.Error("a huge request has begun, or the big one has not")
	}
}

// TestOrderBySize: of requests of namespaces that have used little, the one runs first that will use the least, although it is larger.
func TestOrderBySize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		use := func(name string, length int64, used time.Duration) {
			r := q.enter(name, length)
			time.Sleep(used)
			q.leave(r, length)
		}
		use("labels", bigBytes+1, 200*time.Millisecond)
		use("labels", 1, 0)                       // says nothing about large ones
		q.leave(q.enter("labels", bigBytes+1), 1) // a caller that is gone says nothing either
		use("calm", bigBytes+2, 50*time.Millisecond)
		use("calm", 1, 5*time.Millisecond)
		time.Sleep(10 * time.Second)
		running := q.enter("other", 1)
		labels, calm := q.enter("labels", bigBytes+1), q.enter("calm", bigBytes+2)
		q.leave(running, 0)
		if labels.begun || !calm.begun {
			t.Error("the request with many labels has begun first")
		}
	})
}

// TestOrder: of the requests that wait, the one of the namespace runs first that has used the least, but first ends what has begun.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		use := func(name string, used time.Duration) {
			r := q.enter(name, 1)
			time.Sleep(used)
			q.leave(r, 0)
		}
		use("more", 400*time.Millisecond)
		use("much", 90*time.Millisecond)
		use("some", 50*time.Millisecond)
		use("little", 30*time.Millisecond)
		running := q.enter("calm", 1)
		begun := q.enter("much", 1) // as if it had begun before
		q.begin(begun, 1)
		order := map[*request]string{begun: "much, begun"}
		for _, name := range []string{"more", "some", "much", "little", "new"} {
			order[q.enter(name, 1)] = name
		}
		var got []string
		for len(order) > 0 {
			q.leave(running, 0)
			for r := range order {
				if r.runs {
					got, running = append(got, order[r]), r
					delete(order, r)
				}
			}
		}
		want := []string{"new", "little", "much, begun", "some", "much", "more"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// TestTurnIsNoPriority: nine namespaces that hand over a turn would run before all others if its holder ran as early as the one that waits for it.
func TestTurnIsNoPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		holder := q.enter("much", -1)
		if err := <-holder.decision; err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		less, least := q.enter("less", 1), q.enter("least", -1)
		q.namespaces["less"].used, q.namespaces["less"].at = 300*time.Millisecond, time.Now()
		if q.yield(holder); !less.runs || holder.runs || least.runs {
			t.Errorf("the request of less use runs: %t, others: %t, %t", less.runs, holder.runs, least.runs)
		}
	})
}

// TestSizeCounts: a large request of a namespace that has used nothing waits for a smaller one of a namespace that has used little. Otherwise twelve namespaces
// that sync one every 20 seconds keep a cache of 1,000 pods waiting for nine seconds.
func TestSizeCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		running := q.enter("other", 1)
		larger, calm := q.enter("new", reserveBytes), q.enter("calm", bigBytes+1)
		q.namespaces["calm"].used, q.namespaces["calm"].at = lightUse/2, time.Now()
		if q.leave(running, 0); !calm.runs || larger.runs {
			t.Errorf("the smaller request runs: %t, the larger one: %t", calm.runs, larger.runs)
		}
	})
}
