package server

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestResync: 2,400 parents that Metacontroller syncs together fill its queue once, and not again and again until all have run.
func TestResync(t *testing.T) {
	const perRequest = 4 * time.Millisecond // of Metacontroller's one CPU
	synctest.Test(t, func(t *testing.T) {
		handler := NewHandler(Options{Controllers: sleeping(60*time.Millisecond, 5*time.Millisecond), Limits: Limits{MaxHeapBytes: 1 << 40}})
		cpu := make(chan struct{}, 1)
		m := &metacontroller{workers: make(chan struct{}, 10), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			cpu <- struct{}{}
			time.Sleep(perRequest)
			<-cpu
			handler.ServeHTTP(w, r)
		})}
		const parents = 12 * 200
		var syncs sync.WaitGroup
		for i := range parents {
			syncs.Go(func() { m.sync(t, thingOf(fmt.Sprintf("busy-%d", i%12))) })
		}
		syncs.Go(func() {
			time.Sleep(parents*perRequest + 2*time.Second)
			for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
				began := time.Now()
				if refused, took := m.sync(t, thingOf("calm")), time.Since(began); refused > 0 || took > 3*time.Second {
					t.Errorf("a sync of another namespace took %s and got 429 %d times", took, refused)
				}
			}
		})
		syncs.Wait()
	})
}

// TestBurst: parents of one namespace that sync together now and then are not refused while others use a part of the hook's time.
func TestBurst(t *testing.T) {
	const interval = 500 * time.Millisecond
	for _, test := range []struct {
		reason string
		spread time.Duration // of the others over their interval
		busy   time.Duration // of a sync of the others
		calm   time.Duration
	}{
		{"half of the time, with rests", 0, 27 * time.Millisecond, 40 * time.Millisecond},
		{"a third of the time, without a rest", interval, 18 * time.Millisecond, 20 * time.Millisecond},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &metacontroller{workers: make(chan struct{}, 10), Handler: NewHandler(Options{Controllers: sleeping(test.busy, test.calm)})}
				var syncs sync.WaitGroup
				end := time.Now().Add(time.Minute)
				for i := range 9 {
					syncs.Go(func() {
						for next := time.Now().Add(test.spread * time.Duration(i) / 9); next.Before(end); next = next.Add(interval) {
							time.Sleep(time.Until(next))
							m.sync(t, thingOf(fmt.Sprintf("busy-%d", i)))
						}
					})
				}
				for range 20 {
					syncs.Go(func() {
						for time.Now().Before(end) {
							began := time.Now()
							if refused, took := m.sync(t, thingOf("calm")), time.Since(began); refused > 0 || took > 2*time.Second {
								t.Errorf("a sync took %s and got 429 %d times", took, refused)
							}
							time.Sleep(time.Until(began.Add(17 * time.Second)))
						}
					})
				}
				syncs.Wait()
			})
		})
	}
}
