package test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/example/memcached-operator/webhook"
	"github.com/example/memcached-operator/webhook/memcached"
)

var (
	walkSeed  = flag.Uint64("seed", 0, "run the random walk of this seed only, and print all of its events")
	walkSeeds = flag.Uint64("seeds", 12, "number of random walks")
)

const (
	walkSteps = 60
	// A cluster is quiet after so many rounds without a write that the longest scaling interval, and the time for which an
	// OOM kill counts as a problem, end within them.
	quietRounds, quietInterval = 15, time.Minute
	maxQuietRounds             = 300
)

// TestRandomWalk runs random events on a model of a cluster with one Memcached, and checks after each sync what always
// holds. When the events end, the cache becomes ready and all writes cease.
//
// The cluster (randomwalk_cluster_test.go) stores children and runs their workload; its pods go through the stages of
// randomwalk_pods_test.go. This file is Metacontroller: it observes, calls the hook and applies the response. The events
// and the invariants have a file each. All of it depends on the seed alone, so that a failure can be repeated.
func TestRandomWalk(t *testing.T) {
	first, last := uint64(1), *walkSeeds
	if *walkSeed > 0 {
		first, last = *walkSeed, *walkSeed
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			newWalk(t, seed).run()
		})
	}
}

// walk is one random walk: the cluster, Metacontroller's view of it, and the hook.
type walk struct {
	*cluster

	t       *testing.T
	seed    uint64
	step    int
	trace   []string
	handler http.Handler
	// skew is by how much the clock of the hook is ahead of the cluster's.
	skew time.Duration
	// valid is the last valid spec while the parent has an invalid one.
	valid map[string]any
	// before is what the last sync sent, stale the part of it that the next sync sends again.
	before view
	stale  string
	// steady is true while neither a person nor a stale view disturbs the steps of scaling.
	steady bool
	// stepped is when the hook changed the replicas of the workload last, by the clock of the hook.
	stepped time.Time
}

// view is Metacontroller's copy of the cluster, which it sends to the hook with each sync.
type view struct {
	parent   *unstructured.Unstructured
	children map[string]*unstructured.Unstructured
	pods     []*corev1.Pod
}

// answer is the response of the sync hook.
type answer struct {
	Status             map[string]any               `json:"status"`
	Children           []*unstructured.Unstructured `json:"children"`
	ResyncAfterSeconds float64                      `json:"resyncAfterSeconds"`
}

func newWalk(t *testing.T, seed uint64) *walk {
	w := &walk{t: t, seed: seed, cluster: &cluster{
		random:   rand.New(rand.NewPCG(seed, 0)),
		now:      now,
		children: map[string]*unstructured.Unstructured{},
		faults:   map[string]string{},
	}}
	w.handler = webhook.NewHandler(webhook.Options{
		Controllers: webhook.Controllers(memcached.Config{SidecarImage: sidecarImage}),
		Now:         func() time.Time { return w.now.Add(w.skew) },
	})
	w.newParent()
	return w
}

func (w *walk) newParent() {
	workload := []string{"Deployment", "StatefulSet"}[w.random.IntN(2)]
	w.parent = &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cache.example.com/v1alpha1",
		"kind":       "Memcached",
		"metadata":   map[string]any{"name": "cache", "namespace": "web", "generation": int64(1)},
		"spec":       map[string]any{"size": 1 + w.random.Int64N(6), "workload": workload},
	}}
	w.parent.SetUID(types.UID(fmt.Sprintf("parent-%d", w.next())))
	w.valid = nil
	clear(w.children)
	w.before, w.stepped = view{}, time.Time{}
}

func (w *walk) run() {
	for w.step = range walkSteps {
		w.steady = true
		for w.random.IntN(3) > 0 {
			w.event()
		}
		w.tick(time.Duration(1+w.random.IntN(40)) * time.Second)
		w.sync()
	}
	w.settle()
}

// settle ends all faults, and expects that the cache becomes ready and that nothing is written any more.
func (w *walk) settle() {
	w.note("all events end")
	w.restoreSpec()
	clear(w.faults)
	w.refused = ""
	quiet := 0
	for round := 0; round < maxQuietRounds && quiet < quietRounds; round++ {
		w.step, w.steady = w.step+1, true
		version := w.counter
		for range 4 {
			w.tick(quietInterval / 4)
		}
		w.sync()
		if quiet++; w.counter != version {
			quiet = 0
		}
	}
	size := number(w.parent, "spec", "size")
	status := conditionsOf(w.parent.Object["status"].(map[string]any))
	switch {
	case quiet < quietRounds:
		w.fail("writes go on although the cluster is quiet: %v", w.parent.Object["status"])
	case status["Ready"]["status"] != "True" || status["Degraded"]["status"] != "False":
		w.fail("a quiet cluster without faults is not ready: %v", status)
	case number(w.parent, "status", "readyReplicas") != size || int64(len(w.live())) != size:
		w.fail("a quiet cluster has %d pods of size %d", len(w.live()), size)
	}
}

// sync does what Metacontroller does: it sends its view to the hook, checks the response, and applies it.
func (w *walk) sync() {
	sent := w.observe()
	w.before, w.stale = sent, ""
	recorder := post(w.handler, "/memcached/sync", encode(w.t, sent.request()))
	if w.valid != nil && recorder.Code == http.StatusUnprocessableEntity {
		return
	}
	if recorder.Code != http.StatusOK {
		w.fail("the hook responds with %d %s", recorder.Code, recorder.Body)
	}
	var got answer
	if err := utiljson.Unmarshal(recorder.Body.Bytes(), &got); err != nil {
		w.fail("the response is not valid: %v", err)
	}
	got.Status["observedGeneration"] = sent.parent.GetGeneration()
	replicas, children := w.replicas(), w.appliedChildren()
	w.check(sent, got)
	w.applyAll(sent, got)
	w.checkApplied(replicas, children)
}

// observe returns the current state, with one part from the sync before if that is stale.
func (w *walk) observe() view {
	current := view{parent: w.parent.DeepCopy(), children: map[string]*unstructured.Unstructured{}}
	for kind, child := range w.children {
		current.children[kind] = child.DeepCopy()
	}
	for _, pod := range w.pods {
		current.pods = append(current.pods, pod.DeepCopy())
	}
	switch {
	case w.before.parent == nil:
	case w.stale == "children":
		current.children = w.before.children
	case w.stale == "pods":
		current.pods = w.before.pods
	case w.stale == "status":
		current.parent.Object["status"] = w.before.parent.DeepCopy().Object["status"]
	}
	return current
}

// request is the body of a sync request of hook version v2.
func (v view) request() map[string]any {
	children := map[string]any{"Deployment.apps/v1": map[string]any{}, "StatefulSet.apps/v1": map[string]any{}, "Service.v1": map[string]any{},
		"PodDisruptionBudget.policy/v1": map[string]any{}, "NetworkPolicy.networking.k8s.io/v1": map[string]any{}}
	for _, child := range v.children {
		children[groupKey(child.Object)].(map[string]any)["web/"+child.GetName()] = child.Object
	}
	pods := map[string]any{}
	for _, pod := range v.pods {
		pods["web/"+pod.Name] = pod
	}
	return map[string]any{
		"controller": map[string]any{"spec": map[string]any{}},
		"parent":     v.parent.Object, "children": children, "related": map[string]any{"Pod.v1": pods}, "finalizing": false,
	}
}

// applyAll deletes the observed children that are not desired, applies the desired ones, and replaces the status.
func (w *walk) applyAll(sent view, got answer) {
	for kind := range sent.children {
		if !slices.ContainsFunc(got.Children, func(child *unstructured.Unstructured) bool { return child.GetKind() == kind }) {
			delete(w.children, kind)
			w.next()
		}
	}
	for _, child := range got.Children {
		w.apply(sent.children[child.GetKind()], child)
	}
	if string(encode(w.t, w.parent.Object["status"])) != string(encode(w.t, got.Status)) {
		w.parent.Object["status"] = got.Status
		w.next()
	}
}

func (w *walk) note(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf("%d: ", w.step)+fmt.Sprintf(format, args...))
}

func (w *walk) fail(format string, args ...any) {
	w.t.Helper()
	events := w.trace
	if *walkSeed == 0 {
		events = events[max(0, len(events)-12):]
	}
	w.t.Fatalf("%s\nat step %d of: go test ./test -run TestRandomWalk -seed %d\nlast events:\n%s",
		fmt.Sprintf(format, args...), w.step, w.seed, strings.Join(events, "\n"))
}
