package memcached

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestResize(t *testing.T) {
	const (
		adding, preparing  = v1alpha1.ResizeAddingServers, v1alpha1.ResizePreparing
		warmingUp, removal = v1alpha1.ResizeWarmingUp, v1alpha1.ResizeRemovingServers
	)
	// Each label has the lists of the observed proxies and of the desired ones. All proxies are available and have the
	// observed lists unless the case says otherwise. The warm-up takes ten minutes.
	cases := []struct {
		reason   string
		target   int32
		servers  int32 // -1: no StatefulSet
		observed string
		change   func(*resizeState)

		routes   string
		replicas int32
		phase    v1alpha1.ResizePhase
		until    *metav1.Time
	}{
		{"new proxies of a new cache get the list directly", 3, -1, "", stoppedProxies, "3", 3, "", nil},
		{"new proxies are not observed yet", 3, 3, "", stoppedProxies, "3", 3, "", nil},
		{"a cache that gets proxies", 3, 3, "", stoppedProxies, "3", 3, "", nil},
		{"a cache that gets proxies and servers: the proxies first use the servers with keys", 5, 3, "", stoppedProxies, "3", 5, adding, nil},
		{"a cache that gets proxies and loses servers: no proxy has moved a key", 3, 5, "", stoppedProxies, "3", 3, removal, nil},
		{"new proxies of an empty cache", 0, -1, "", stoppedProxies, "1", 0, "", nil},
		{"nothing to do", 3, 3, "3", nil, "3", 3, "", nil},
		{"nothing to do during a rollout", 3, 3, "3", rollingOut, "3", 3, "", nil},

		{"up: servers first", 4, 3, "3", nil, "3", 4, adding, nil},
		{"up: a server is not ready", 4, 4, "3", nil, "3", 4, adding, nil},
		{"up: not all servers are ready", 6, 6, "3", readyTo(5), "3", 6, adding, nil},
		{"up: servers are ready, but proxies are rolled out", 4, 4, "3", both(readyTo(4), rollingOut), "3", 4, adding, nil},
		{"up: servers are ready", 4, 4, "3", readyTo(4), "3-4", 4, preparing, nil},
		{"up: the proxies prepare", 4, 4, "3-4", both(readyTo(4), rollingOut), "3-4", 4, preparing, nil},
		{"up: the proxies are prepared, but a new server has failed", 4, 4, "3-4", nil, "3-4", 4, preparing, nil},
		{"up: the proxies are prepared", 4, 4, "3-4", readyTo(4), "4-3", 4, warmingUp, nil},
		{"up: the proxies switch", 4, 4, "4-3", rollingOut, "4-3", 4, warmingUp, nil},
		{"up: the warm-up begins", 4, 4, "4-3", nil, "4-3", 4, warmingUp, ago(-600)},
		{"up: the warm-up goes on", 4, 4, "4-3", warmUntil(ago(-1)), "4-3", 4, warmingUp, ago(-1)},
		{"up: the warm-up goes on while an image is rolled out", 4, 4, "4-3", both(rollingOut, warmUntil(ago(-1))), "4-3", 4, warmingUp, ago(-1)},
		{"up: the warm-up has ended, but an image is rolled out", 4, 4, "4-3", both(rollingOut, warmUntil(ago(1))), "4-3", 4, warmingUp, ago(1)},
		{"up: the warm-up ends", 4, 4, "4-3", warmUntil(ago(0)), "4", 4, "", nil},

		{"down: servers stay", 3, 4, "4", nil, "4-3", 4, preparing, nil},
		{"down: a rollout goes on", 3, 4, "4", rollingOut, "4", 4, preparing, nil},
		{"down: the proxies prepare", 3, 4, "4-3", rollingOut, "4-3", 4, preparing, nil},
		{"down: the proxies are prepared", 3, 4, "4-3", nil, "3-4", 4, warmingUp, nil},
		{"down: the proxies switch", 3, 4, "3-4", rollingOut, "3-4", 4, warmingUp, nil},
		{"down: the warm-up begins", 3, 4, "3-4", nil, "3-4", 4, warmingUp, ago(-600)},
		{"down: the warm-up ends", 3, 4, "3-4", warmUntil(ago(0)), "3", 4, removal, nil},
		{"down: a proxy with the former list may run", 3, 4, "3", rollingOut, "3", 4, removal, nil},
		{"down: no proxy has the former list", 3, 4, "3", nil, "3", 3, removal, nil},

		{"down: no proxy has the former list, but newer proxies may exist", 3, 4, "3", changedAt(9), "3", 4, removal, nil},
		{"down: no proxy has the former list, but status was lost", 3, 4, "3", func(s *resizeState) { s.recorded, s.recordedAt = routes{}, nil }, "3", 4, removal, nil},
		{"down: no proxy has the former list, but the observed proxies are outdated", 3, 4, "3", func(s *resizeState) { s.recorded = routes{current: 3, previous: 4} }, "3", 4, removal, nil},

		{"without a warm-up, up: servers first", 4, 3, "3", noWarmup, "3", 4, adding, nil},
		{"without a warm-up, up: the list changes directly", 4, 4, "3", both(noWarmup, readyTo(4)), "4", 4, "", nil},
		{"without a warm-up, down: the list changes directly, and servers stay", 3, 4, "4", noWarmup, "3", 4, removal, nil},
		{"without a warm-up, down: a rollout goes on", 3, 4, "3", both(noWarmup, rollingOut), "3", 4, removal, nil},
		{"the warm-up is disabled while it goes on", 4, 4, "4-3", both(noWarmup, warmUntil(ago(-500))), "4", 4, "", nil},
		{"the warm-up gets shorter while it goes on", 4, 4, "4-3", func(s *resizeState) { s.warmup, s.until = time.Minute, ago(-500) }, "4-3", 4, warmingUp, ago(-60)},

		{"status was lost during a warm-up: it starts again", 3, 4, "3-4", nil, "3-4", 4, warmingUp, ago(-600)},
		{"the clock was set back during a warm-up", 4, 4, "4-3", warmUntil(ago(-99999)), "4-3", 4, warmingUp, ago(-600)},

		{"up, then back before the lists change: new servers are removed", 3, 4, "3", readyTo(4), "3", 3, removal, nil},
		{"up, then back after the preparation: it ends like a warm-up, because its lists are those of a turned warm-up", 3, 4, "3-4", nil, "3-4", 4, warmingUp, ago(-600)},
		{"up, then back during the warm-up: it turns", 3, 4, "4-3", warmUntil(ago(-60)), "3-4", 4, warmingUp, nil},
		{"up, then back during the switch: it turns after the rollout", 3, 4, "4-3", rollingOut, "4-3", 4, preparing, nil},
		{"down, then back during the warm-up: it turns", 4, 4, "3-4", both(warmUntil(ago(-60)), readyTo(4)), "4-3", 4, warmingUp, nil},
		{"down, then back after the warm-up: it is a change up with servers that exist", 4, 4, "3", readyTo(4), "3-4", 4, preparing, nil},
		{"up, then further up: servers start, and the change under way ends first", 6, 4, "4-3", warmUntil(ago(-60)), "4-3", 6, warmingUp, ago(-60)},
		{"up, then further up after the preparation: the change under way goes on", 6, 4, "3-4", readyTo(4), "4-3", 6, warmingUp, nil},
		{"up, then further up after the warm-up", 6, 6, "4-3", both(readyTo(6), warmUntil(ago(0))), "4", 6, adding, nil},
		{"up, then further down during the warm-up: it turns first", 1, 4, "4-3", warmUntil(ago(-60)), "3-4", 4, warmingUp, nil},
		{"down, then further down: the change under way ends first", 1, 4, "3-4", warmUntil(ago(-60)), "3-4", 4, warmingUp, ago(-60)},
		{"a size between the lists: the change under way ends first", 4, 5, "5-3", warmUntil(ago(-60)), "5-3", 5, warmingUp, ago(-60)},
		{"a size between the lists after the warm-up", 4, 5, "5-3", warmUntil(ago(0)), "5", 5, preparing, nil},

		{"size 0: the proxies stop first", 0, 3, "3", nil, "3", 3, removal, nil},
		{"size 0 during a warm-up: there are no keys to keep", 0, 4, "4-3", nil, "4-3", 4, removal, nil},
		{"size 0: no proxy runs", 0, 3, "3", stoppedProxies, "3", 0, removal, nil},
		{"size 0 is reached", 0, 0, "3", stoppedProxies, "3", 0, "", nil},
		{"from size 0: there are no keys to keep", 2, 0, "4-3", stoppedProxies, "2", 2, "", nil},
		{"from size 0, before the servers are removed", 4, 3, "3", rollingOut, "3", 4, adding, nil},

		{"servers were added manually", 3, 9, "3", nil, "3", 3, removal, nil},
		{"servers were added manually above the maximum, during a rollout", 3, 99999, "3", rollingOut, "3", 1000, removal, nil},
		{"servers were removed manually", 3, 1, "3", nil, "3", 3, "", nil},
		{"servers were removed manually during a warm-up", 3, 2, "3-4", nil, "3-4", 4, warmingUp, ago(-600)},
		{"all servers were removed manually: there are no keys to keep", 2, 0, "3-4", nil, "2", 4, "", nil},
		{"the StatefulSet is missing during a warm-up", 3, -1, "3-4", nil, "3-4", 4, warmingUp, ago(-600)},
		{"the StatefulSet is missing after proxies have stopped", 3, -1, "3", stoppedProxies, "3", 3, "", nil},
		{"the proxies were deleted during a warm-up, and status has their lists", 3, 4, "3-4", both(stoppedProxies, warmUntil(ago(-60))), "3-4", 4, warmingUp, ago(-60)},
		{"the proxies were deleted after a warm-up, but one still runs", 3, 4, "3", rollingOut, "3", 4, removal, nil},
	}
	for _, test := range cases {
		state := resizeState{target: test.target, ready: 3, observed: parseRoutes(test.observed), settled: true, warmup: 10 * time.Minute, now: noon}
		state.recorded, state.recordedAt = parseRoutes(test.routes), ago(10)
		if test.servers >= 0 {
			state.servers = &test.servers
		}
		if test.change != nil {
			test.change(&state)
		}
		got := state.decide()
		var phase v1alpha1.ResizePhase
		var until *metav1.Time
		if got.status != nil {
			phase, until = got.status.Phase, got.status.Until
		}
		if got.routes.String() != test.routes || got.replicas != test.replicas || phase != test.phase {
			t.Errorf("%s: lists %s, %d replicas, phase %q, want %s, %d, %q", test.reason, got.routes, got.replicas, phase, test.routes, test.replicas, test.phase)
		}
		if want := phase == preparing && got.routes.previous != 0; got.preparing != want {
			t.Errorf("%s: the proxies prepare: %t, want %t", test.reason, got.preparing, want)
		}
		if diff := cmp.Diff(test.until, until); diff != "" {
			t.Errorf("%s: end of the warm-up (-want +got):\n%s", test.reason, diff)
		}
		var waits []time.Duration
		if until != nil {
			waits = append(waits, until.Sub(noon.Time))
		}
		if age := noon.Sub(got.changed.Time); test.servers > test.target && age < removalDelay {
			waits = append(waits, removalDelay-age)
		}
		if want := conditions.Soonest(waits...); got.wait != want {
			t.Errorf("%s: the next sync is after %s, want %s", test.reason, got.wait, want)
		}
	}
}

func changedAt(secondsAgo int) func(*resizeState) {
	return func(s *resizeState) { s.recordedAt = ago(secondsAgo) }
}

func both(first, second func(*resizeState)) func(*resizeState) {
	return func(s *resizeState) { first(s); second(s) }
}

func rollingOut(s *resizeState) { s.settled = false }

func stoppedProxies(s *resizeState) { s.settled, s.stopped = false, true }

func noWarmup(s *resizeState) { s.warmup = 0 }

func readyTo(servers int32) func(*resizeState) {
	return func(s *resizeState) { s.ready = servers }
}

func warmUntil(end *metav1.Time) func(*resizeState) {
	return func(s *resizeState) { s.until = end }
}

func TestResizeMessages(t *testing.T) {
	cases := []struct {
		status  *v1alpha1.ResizeStatus
		message string
	}{
		{&v1alpha1.ResizeStatus{From: 3, To: 4, Phase: v1alpha1.ResizeAddingServers}, "Resizing from 3 to 4 servers, phase AddingServers: New servers start, and the proxies use them once all are ready."},
		{&v1alpha1.ResizeStatus{From: 3, To: 4, Phase: v1alpha1.ResizeWarmingUp, Until: &noon}, "Resizing from 3 to 4 servers, phase WarmingUp: The proxies use 4 servers, and read misses from the previous 3 until 2026-11-21T12:00:00Z."},
	}
	for _, test := range cases {
		if got := (resize{status: test.status}).progress(); got.Reason != ReasonResizing || got.Message != test.message {
			t.Errorf("%+v, want %q", got, test.message)
		}
	}
	if got := (resize{}).progress(); got != nil {
		t.Errorf("without a change there is nothing to report: %+v", got)
	}
}

func TestRoutes(t *testing.T) {
	for label, want := range map[string]routes{
		"1": {current: 1}, "4-3": {current: 4, previous: 3}, "1000-999": {current: 1000, previous: 999},
		"": {}, "0": {}, "-1": {}, "4-": {}, "4-0": {}, "0-3": {}, "4-4": {}, "04": {}, "4-3-2": {}, "1001": {}, "99999999999": {}, "+4": {}, "four": {},
	} {
		if got := parseRoutes(label); got != want {
			t.Errorf("label %q has the lists %+v, want %+v", label, got, want)
		}
	}
}
