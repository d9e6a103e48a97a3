package server

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBigBodiesWait: of namespaces that have used nothing, few big requests wait for a turn for long, and no smaller one is refused for them.
func TestBigBodiesWait(t *testing.T) {
	for _, test := range []struct {
		reason string
		length int64
		soon   int // how many of six requests wait until one has waited for maxLargeWait
		waits  int // how many wait then
	}{
		{"caches of 1,000 pods", 7_700_000, 6, 5},
		{"smaller ones", bigBytes + 1, 6, 5},
		{"bodies of 16 MiB", 16 << 20, 6, 2},
		{"bodies of 21 MiB", 21 << 20, 6, 1},
		{"bodies of 32 MiB, which will use as much as the others have used", 32 << 20, 2, 1},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(1)
				running := q.enter("calm", 1)
				time.Sleep(maxBusy / 2)
				calm := q.enter("calm", smallBytes+1)
				time.Sleep(maxBusy/2 + 1)
				q.namespaces["calm"].used, q.namespaces["calm"].at, q.namespaces["calm"].running = lightUse, time.Now(), 0
				for i := range 6 {
					q.enter(strconv.Itoa(i), test.length)
				}
				time.Sleep(maxLargeWait)
				if q.decide(); len(q.waiting) != test.soon+1 {
					t.Errorf("%d requests wait for %s, want %d", len(q.waiting), maxLargeWait, test.soon+1)
				}
				time.Sleep(time.Nanosecond)
				q.decide()
				if len(q.waiting) != test.waits+1 || !slices.Contains(q.waiting, calm) || !running.runs {
					t.Errorf("%d requests wait, want %d big ones and one of the other namespace", len(q.waiting), test.waits)
				}
			})
		})
	}
}

// TestLargeBodiesWait: of namespaces that have used nothing, few large requests wait for a turn for long, and no big one is refused for them.
func TestLargeBodiesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		q.enter("running", 1)
		time.Sleep(maxBusy + 1)
		calm := q.enter("calm", bigBytes+1)
		for i := range maxLargeWaiting + 2 {
			q.enter(strconv.Itoa(i), bigBytes)
		}
		time.Sleep(maxLargeWait + 1)
		q.decide()
		if len(q.waiting) != maxLargeWaiting+1 || !slices.Contains(q.waiting, calm) {
			t.Errorf("%d requests wait, want %d and the big one", len(q.waiting), maxLargeWaiting)
		}
	})
}

// TestMostLargeRefused: large requests of many caches are refused, not the one of a namespace that has used more until then.
func TestMostLargeRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		q.enter("running", 1)
		time.Sleep(maxBusy + 1)
		q.namespaces["calm"] = &namespace{use: use{used: lightUse / 3, at: time.Now()}}
		calm := q.enter("calm", bigBytes)
		for range maxLargeWaiting {
			q.enter("many", smallBytes+1)
		}
		time.Sleep(maxLargeWait + 1)
		q.decide()
		if len(q.waiting) != maxLargeWaiting || len(calm.decision) > 0 {
			t.Errorf("%d requests wait, want %d, one of them of the calm namespace", len(q.waiting), maxLargeWaiting)
		}
	})
}

// TestLargeOfLightNamespace: a sync of 1,500 pods waits although others wait whose namespaces use all of the time together.
func TestLargeOfLightNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		q.enter("calm", 1)
		q.busySince = time.Now().Add(-maxBusy - 1)
		q.recent.add(2*maxRecent, time.Now())
		for i := range 9 {
			name := strconv.Itoa(i)
			q.namespaces[name] = &namespace{use: use{used: halfLife * 100 / 69 / 9, at: time.Now()}} // a ninth of the time, always
			q.enter(name, smallBytes)
		}
		light := q.enter("light", 11<<20)
		for range 9 {
			q.enter("0", smallBytes)
		}
		if len(light.decision) > 0 {
			t.Errorf("it is refused: %v", <-light.decision)
		}
	})
}

// TestSmallFirst: small requests of a namespace run before its large ones, and are refused after them.
func TestSmallFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		running := q.enter("web", 1)
		time.Sleep(maxBusy + 1)
		var lasting []*request
		for range maxWaiting + 1 {
			lasting = append(lasting, q.enter("web", smallBytes+1))
		}
		last := q.enter("web", 1)
		if len(q.waiting) != maxWaiting || !slices.Contains(q.waiting, last) {
			t.Errorf("%d requests wait, want %d, one of them small", len(q.waiting), maxWaiting)
		}
		q.leave(running, 0)
		if !last.runs || lasting[0].runs {
			t.Error("a small request does not run before the large ones")
		}
	})
}

// TestRest: while Metacontroller encodes large requests, the hook can have none for a moment, although there are many in its queue.
func TestRest(t *testing.T) {
	for _, test := range []struct {
		gap   time.Duration
		waits int
	}{{rest - 1, maxWaiting}, {rest, 10}} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(1)
			last := q.enter("web", 1)
			for range 2 {
				time.Sleep(maxBusy)
				q.leave(last, 0)
				time.Sleep(test.gap)
				last = q.enter("web", 1)
			}
			for range 10 {
				q.enter("web", 1)
			}
			if len(q.waiting) != test.waits {
				t.Errorf("after a gap of %s, %d requests wait, want %d", test.gap, len(q.waiting), test.waits)
			}
		})
	}
}

// TestTooMany: while the hook always has requests, few wait of namespaces that have used much, and more of the others.
func TestTooMany(t *testing.T) {
	const many, long, full = 10, maxBusy + 1, 2 * maxRecent
	for _, test := range []struct {
		reason string
		busy   time.Duration
		recent time.Duration
		used   []time.Duration // by namespaces
		waits  []int           // of many requests of the first namespaces, without those that have begun
	}{
		{"the hook had no request a moment ago", maxBusy, full, []time.Duration{time.Second}, []int{many}},
		{"it always has some, but few", long, maxRecent, []time.Duration{time.Second}, []int{many}},
		{"one namespace has used all of the time", long, full, []time.Duration{time.Second}, []int{maxWaiting}},
		{"two have used the same: the last one that enters is refused", long, full, []time.Duration{time.Second, time.Second}, []int{maxWaiting, 0}},
		{"one has used less, and takes the places of the other", long, full, []time.Duration{1100 * time.Millisecond, time.Second}, []int{0, maxWaiting}},
		{"one has used an eighth of the average", long, full, []time.Duration{3200 * time.Millisecond, 400 * time.Millisecond}, []int{maxWaiting, many}},
		{"one has used half of the average", long, full, []time.Duration{3 * time.Second, time.Second}, []int{0, 2 * maxWaiting}},
		{"one has used nothing", long, full, []time.Duration{time.Second, 0}, []int{maxWaiting, many}},
		{"nine have used the same", long, full, slices.Repeat([]time.Duration{time.Second}, 9), []int{maxWaiting, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"many that have used little do not change the average", long, full, slices.Concat([]time.Duration{4 * time.Second, 400 * time.Millisecond}, slices.Repeat([]time.Duration{20 * time.Millisecond}, 50)), []int{maxWaiting, many}},
		{"one that has used much hides eight others for little time", long, full, slices.Concat([]time.Duration{5 * time.Second}, slices.Repeat([]time.Duration{400 * time.Millisecond}, 8)), []int{0, 6, 0, 0}},
		{"nor does it hide eleven others that have used less", long, full, slices.Concat([]time.Duration{4 * time.Second}, slices.Repeat([]time.Duration{200 * time.Millisecond}, 11)), []int{0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"nobody has used much", long, full, []time.Duration{lightUse / 2}, []int{2 * maxWaiting}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(1)
				now := time.Now()
				for i, used := range test.used {
					q.namespaces[strconv.Itoa(i)] = &namespace{use: use{used: used, at: now}}
				}
				q.enter("0", 1)
				q.busySince = now.Add(-test.busy)
				q.recent.add(test.recent, now)
				for range maxWaiting {
					q.begin(q.enter("0", 1), 1)
				}
				got := make([]int, len(test.waits))
				for i := range got {
					for range many {
						q.enter(strconv.Itoa(i), 1)
					}
				}
				for i := range got {
					for _, each := range q.waiting {
						if each.namespace == q.namespaces[strconv.Itoa(i)] && !each.begun {
							got[i]++
						}
					}
				}
				if diff := cmp.Diff(test.waits, got); diff != "" {
					t.Errorf("requests that wait (-want +got):\n%s", diff)
				}
			})
		})
	}
}
