package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/example/memcached-operator/webhook/composite"
)

// metacontroller syncs parents as Metacontroller does: ten workers take those of all namespaces from one queue, and a parent that gets 429 returns to its
// end after Retry-After.
type metacontroller struct {
	http.Handler
	workers chan struct{} // a goroutine that waits for one is in the queue
}

// sync syncs a parent in a namespace until the hook returns 200, and returns how often it has returned 429.
func (m *metacontroller) sync(t *testing.T, body string) (refused int) {
	for {
		m.workers <- struct{}{}
		got := postThing(m, strings.NewReader(body))
		<-m.workers
		if got.Code == http.StatusOK {
			return refused
		}
		seconds, err := strconv.Atoi(got.Header().Get("Retry-After"))
		if err != nil || got.Code != http.StatusTooManyRequests {
			t.Errorf("a sync got %d %s", got.Code, got.Body)
			return refused
		}
		refused++
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// TestWorkers: parents of busy namespaces do not keep all workers of Metacontroller.
func TestWorkers(t *testing.T) {
	for _, test := range []struct {
		reason              string
		namespaces, parents int
		body                func(namespace string) string
		runs, calm          time.Duration // of a sync of a busy namespace, and of one of ten parents of another namespace
		limit               time.Duration // of a sync of another namespace with its time in the queue
	}{
		{"a sync is slow", 1, 300, thingOf, 80 * time.Millisecond, 20 * time.Millisecond, 2 * time.Second},
		{"no sync waits for long, but there are many", 1, 400, thingOf, 40 * time.Millisecond, 20 * time.Millisecond, 2 * time.Second},
		{"syncs are large and slow", 1, 60, largeThing, 1700 * time.Millisecond, 20 * time.Millisecond, 4 * time.Second},
		{"two namespaces alternate", 2, 150, thingOf, 80 * time.Millisecond, 20 * time.Millisecond, 2 * time.Second},
		{"two namespaces have many parents", 2, 200, thingOf, 40 * time.Millisecond, 20 * time.Millisecond, 2 * time.Second},
		{"three namespaces", 3, 80, thingOf, 80 * time.Millisecond, 20 * time.Millisecond, 2 * time.Second},
		{"large syncs of three namespaces", 3, 20, largeThing, 400 * time.Millisecond, 20 * time.Millisecond, 3 * time.Second},
		{"nine namespaces", 9, 40, thingOf, 80 * time.Millisecond, 5 * time.Millisecond, 4 * time.Second},
		{"large syncs of nine namespaces", 9, 15, largeThing, 400 * time.Millisecond, 5 * time.Millisecond, 5 * time.Second},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &metacontroller{workers: make(chan struct{}, 10), Handler: NewHandler(Options{Controllers: sleeping(test.runs, test.calm), Limits: Limits{MaxHeapBytes: 1 << 40}})}
				var syncs sync.WaitGroup
				end := time.Now().Add(20 * time.Second)
				for i := range test.namespaces * test.parents {
					syncs.Go(func() {
						body := test.body(fmt.Sprintf("busy-%d", i%test.namespaces))
						for time.Now().Before(end) {
							m.sync(t, body)
							time.Sleep(time.Second)
						}
					})
				}
				for i := range 11 {
					syncs.Go(func() {
						body := []string{thing, thingOf("calm")}[min(i, 1)] // one parent, and ten of another namespace
						for time.Now().Before(end) {
							began := time.Now()
							if refused, took := m.sync(t, body), time.Since(began); refused > 0 || took > test.limit {
								t.Errorf("a sync of another namespace took %s and got 429 %d times", took, refused)
							}
							time.Sleep(2 * time.Second)
						}
					})
				}
				syncs.Wait()
			})
		})
	}
}

// TestNewNamespaces: parents of a namespace that has used a little do not wait until new namespaces have used much, nor for a namespace that has.
func TestNewNamespaces(t *testing.T) {
	for _, test := range []struct {
		reason  string
		busy    int // parents of a namespace that is busy for 20 seconds
		parents int // of each of the new namespaces after it
		limit   time.Duration
	}{
		{"the new namespaces have used nothing", 0, 10, 4 * time.Second},
		{"another one has used much", 15, 60, 4 * time.Second},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &metacontroller{workers: make(chan struct{}, 10), Handler: NewHandler(Options{Controllers: sleeping(50*time.Millisecond, 5*time.Millisecond)})}
				begin := time.Now()
				repeat := func(body string, from, to, limit time.Duration) {
					time.Sleep(from)
					for time.Since(begin) < to {
						began := time.Now()
						if m.sync(t, body); time.Since(began) > limit {
							t.Errorf("after %s, a sync of another namespace took %s", began.Sub(begin), time.Since(began))
						}
						time.Sleep(time.Second)
					}
				}
				var syncs sync.WaitGroup
				for range test.busy {
					syncs.Go(func() { repeat(thingOf("busy"), 0, 20*time.Second, time.Hour) })
				}
				for i := range 8 * test.parents {
					syncs.Go(func() { repeat(thingOf(fmt.Sprintf("busy-%d", i%8)), 20*time.Second, 40*time.Second, time.Hour) })
				}
				for range 8 {
					syncs.Go(func() { repeat(thingOf("calm"), 0, 40*time.Second, test.limit) })
				}
				syncs.Wait()
			})
		})
	}
}

// TestBursts: the parents of eleven namespaces that sync together now and then do not keep all workers, although another one always uses much more.
func TestBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &metacontroller{workers: make(chan struct{}, 10), Handler: NewHandler(Options{Controllers: sleeping(50*time.Millisecond, 5*time.Millisecond)})}
		end := time.Now().Add(time.Minute)
		var syncs sync.WaitGroup
		repeat := func(body string, every, pause, limit time.Duration) {
			for time.Now().Before(end) {
				began := time.Now()
				if m.sync(t, body); time.Since(began) > limit {
					t.Errorf("a sync took %s", time.Since(began))
				}
				time.Sleep(max(pause, time.Until(began.Add(every))))
			}
		}
		for range 8 {
			syncs.Go(func() { repeat(thingOf("busy"), 0, 100*time.Millisecond, time.Hour) })
		}
		for i := range 11 * 12 {
			syncs.Go(func() { repeat(thingOf(fmt.Sprintf("busy-%d", i%11)), 16*time.Second, 0, time.Hour) })
		}
		for range 4 {
			syncs.Go(func() { repeat(thingOf("calm"), 0, time.Second, 3*time.Second) })
		}
		syncs.Wait()
	})
}

// TestLargeBesideMany: a cache of 1,000 pods does not wait for twelve namespaces that use all of the time, with small requests.
func TestLargeBesideMany(t *testing.T) {
	large := thingOf("calm")
	large = large[:len(large)-1] + `,"future":[` + strings.Repeat(`"`+strings.Repeat("a", 75_000)+`",`, 100) + `""]}`
	synctest.Test(t, func(t *testing.T) {
		m := &metacontroller{workers: make(chan struct{}, 10), Handler: NewHandler(Options{Controllers: sleeping(50*time.Millisecond, 80*time.Millisecond)})}
		end := time.Now().Add(40 * time.Second)
		var syncs sync.WaitGroup
		for i := range 12 * 2 {
			syncs.Go(func() {
				for time.Now().Before(end) {
					m.sync(t, thingOf(fmt.Sprintf("busy-%d", i%12)))
					time.Sleep(500 * time.Millisecond)
				}
			})
		}
		syncs.Go(func() {
			for time.Sleep(10 * time.Second); time.Now().Before(end); time.Sleep(3 * time.Second) {
				if began := time.Now(); m.sync(t, large) > 0 || time.Since(began) > time.Second {
					t.Errorf("a sync took %s", time.Since(began))
				}
			}
		})
		syncs.Wait()
	})
}

// TestManyParents: the parents of one namespace keep each other waiting, but not for longer than their syncs run.
func TestManyParents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &metacontroller{workers: make(chan struct{}, 10), Handler: NewHandler(Options{Controllers: sleeping(3*time.Millisecond, 0)})}
		var syncs sync.WaitGroup
		for range 200 {
			syncs.Go(func() {
				if refused := m.sync(t, thingOf("busy")); refused > 0 {
					t.Errorf("a sync got 429 %d times", refused)
				}
			})
		}
		syncs.Wait()
	})
}

// sleeping returns a controller whose sync hook takes a time for parents of namespaces that begin with busy, and another time for those of calm.
func sleeping(busy, calm time.Duration) []composite.Controller {
	return thingController(func(request thingRequest) (composite.Desired[struct{}], error) {
		switch {
		case strings.HasPrefix(request.Parent.Namespace, "busy"):
			time.Sleep(busy)
		case request.Parent.Namespace == "calm":
			time.Sleep(calm)
		}
		return composite.Desired[struct{}]{}, nil
	})
}
