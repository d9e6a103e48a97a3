package memcached

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestResizeWalk changes the size of a model at random times, with slow rollouts, views that lag behind, lost status and
// clocks that are set back. No step loses the keys of a proxy, and in the end the size is reached.
func TestResizeWalk(t *testing.T) {
	for seed := range uint64(100) {
		w := &resizeWalk{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, now: noon.Time, warmup: 2 * time.Minute}
		if seed%5 == 0 {
			w.warmup = 0
		}
		w.target = w.Int32N(6)
		for range 150 {
			w.disturb()
			w.tick()
			w.sync()
		}
		w.calm = true
		for range 300 {
			w.tick()
			w.sync()
		}
		if len(w.running()) > 0 && w.template != (routes{current: w.target}) || w.servers == nil || *w.servers != w.target || w.status != nil {
			w.fail("a calm cluster reaches the size")
		}
	}
}

// walkProxy is a proxy pod. It stops at the end of its grace period.
type walkProxy struct {
	routes routes
	ends   time.Time // zero until the pod is deleted
}

type resizeWalk struct {
	*testing.T
	*rand.Rand
	seed   uint64
	calm   bool
	trace  []string
	now    time.Time
	warmup time.Duration

	target   int32
	servers  *int32
	ready    int32  // servers that are ready, in order
	template routes // the lists of the Deployment
	proxies  []walkProxy
	recorded routes // status
	changed  *metav1.Time
	status   *v1alpha1.ResizeStatus
	warm     time.Duration // how long all proxies have had the current two lists

	// view is what Metacontroller has observed of the proxies. It is at most removalDelay behind.
	view struct {
		template routes
		proxies  []walkProxy
	}
	passed, lag time.Duration
}

func (w *resizeWalk) fail(invariant string) {
	w.Helper()
	w.Fatalf("seed %d violates the invariant that %s: target %d, %v\nlast events:\n%s", w.seed, invariant, w.target, w, strings.Join(w.trace[max(len(w.trace)-20, 0):], "\n"))
}

func (w *resizeWalk) String() string {
	servers := int32(-1)
	if w.servers != nil {
		servers = *w.servers
	}
	return fmt.Sprintf("%d servers, %d ready, lists %s, proxies %v, status %+v", servers, w.ready, w.template, w.proxies, w.status)
}

func (w *resizeWalk) disturb() {
	switch w.IntN(40) {
	case 0, 1, 2:
		w.target = w.Int32N(6)
	case 3:
		w.observe()
		w.recorded, w.changed, w.status = routes{}, nil, nil
	case 4:
		w.now = w.now.Add(-time.Duration(w.IntN(300)) * time.Second)
	case 5:
		w.ready = min(w.ready, w.Int32N(6)) // servers fail
	}
}

// tick lets time pass: servers become ready, and a rollout replaces one proxy after the other.
func (w *resizeWalk) tick() {
	w.passed = time.Duration(1+w.IntN(2)) * time.Second
	if w.IntN(2) == 0 {
		w.passed *= 15
	}
	w.now = w.now.Add(w.passed)
	w.proxies = slices.DeleteFunc(w.proxies, func(p walkProxy) bool { return !p.ends.IsZero() && !p.ends.After(w.now) })
	if slices.ContainsFunc(w.proxies, func(p walkProxy) bool { return p.routes != w.template }) {
		w.warm = 0
	} else {
		w.warm += w.passed
	}
	if w.servers != nil && (w.calm || w.IntN(3) > 0) {
		w.ready = min(w.ready+1, *w.servers)
	}
	if w.template != (routes{}) && (w.calm || w.IntN(3) > 0) {
		w.replaceProxy()
	}
}

// replaceProxy creates a missing proxy, or deletes one.
func (w *resizeWalk) replaceProxy() {
	wanted := 2
	if w.target == 0 {
		wanted = 0
	}
	if len(w.running()) < wanted {
		w.proxies = append(w.proxies, walkProxy{routes: w.template})
		return
	}
	for i, p := range w.proxies {
		if p.ends.IsZero() && (wanted == 0 || p.routes != w.template) {
			w.proxies = slices.Clone(w.proxies) // a view may refer to it
			w.proxies[i].ends = w.now.Add(30 * time.Second)
			return
		}
	}
}

// running returns the proxies that are not being deleted.
func (w *resizeWalk) running() []walkProxy {
	return slices.DeleteFunc(slices.Clone(w.proxies), func(p walkProxy) bool { return !p.ends.IsZero() })
}

func (w *resizeWalk) observe() {
	w.view.template, w.view.proxies, w.lag = w.template, slices.Clone(w.proxies), 0
}

func (w *resizeWalk) sync() {
	if w.lag+w.passed < removalDelay && !w.calm && w.IntN(2) == 0 {
		w.lag += w.passed
	} else {
		w.observe()
	}
	state := resizeState{
		target: w.target, servers: w.servers, ready: w.ready, observed: w.view.template, recorded: w.recorded, recordedAt: w.changed,
		warmup: w.warmup, now: metav1.NewTime(w.now), settled: true, stopped: true,
	}
	available := 0
	for _, p := range w.view.proxies {
		if !p.ends.IsZero() && !p.ends.After(w.now) {
			continue
		}
		state.settled = state.settled && p.routes == w.view.template
		state.stopped = false
		if p.ends.IsZero() {
			available++
		}
	}
	state.settled = state.settled && available == 2
	if w.status != nil && w.recorded == w.view.template {
		state.until = w.status.Until
	}
	got := state.decide()
	w.trace = append(w.trace, fmt.Sprintf("target %d, view %s settled %t: lists %s, %d replicas, %+v; %s", w.target, w.view.template, state.settled, got.routes, got.replicas, got.status, w))
	w.check(got)
	w.servers, w.ready = &got.replicas, min(w.ready, got.replicas)
	if w.view.template == w.template { // otherwise the API server reports a conflict
		w.template = got.routes
	}
	w.recorded, w.changed, w.status = got.routes, &got.changed, got.status
}

// check compares a decision with what really runs.
func (w *resizeWalk) check(got resize) {
	if w.target == 0 || w.servers == nil || *w.servers == 0 {
		return // no keys to keep
	}
	for _, p := range w.proxies {
		if got.replicas < *w.servers && got.replicas < p.routes.longest() {
			w.fail("no server of a running proxy is removed")
		}
	}
	if got.routes != w.template && w.view.template == w.template && len(w.running()) > 0 {
		w.checkRoutes(w.template, got.routes)
	}
}

// checkRoutes compares new lists with what really runs.
func (w *resizeWalk) checkRoutes(from, to routes) {
	if slices.ContainsFunc(w.proxies, func(p walkProxy) bool { return p.routes != from }) {
		w.fail("proxies with three different lists never run")
	}
	if to.current > from.current && w.ready < to.current {
		w.fail("the proxies use only servers that are ready")
	}
	if w.warmup == 0 {
		return
	}
	switch {
	case from.previous == 0 && to.current == from.current: // preparing
	case to.current == from.previous && to.previous == from.current: // switching
	case to == routes{current: from.current} && w.warm >= w.warmup: // after the warm-up
	default:
		w.fail("only these three steps follow each other")
	}
}
