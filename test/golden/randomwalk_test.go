package golden

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/parents"
)

var (
	walkSeed   = flag.Uint64("seed", 1, "seed of the first random walk")
	walkSeeds  = flag.Uint64("seeds", 10, "number of random walks")
	childKinds = []string{"Deployment.apps/v1", "StatefulSet.apps/v1", "Service.v1", "PodDisruptionBudget.policy/v1", "NetworkPolicy.networking.k8s.io/v1"}
)

// TestRandomWalk does random things to a model of a cluster with one Memcached, and checks each response of the hook. Then
// the faults end: the cache must become ready, and the responses must stay the same. -seed 7 -seeds 1 repeats the walk of seed 7.
func TestRandomWalk(t *testing.T) {
	t.Parallel()
	for seed := *walkSeed; seed < *walkSeed+*walkSeeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			w := &walk{T: t, cluster: cluster{random: rand.New(rand.NewPCG(seed, 0)), now: now, workload: childKinds[seed%2],
				children: map[string]*child{}, faults: map[string]string{}}}
			w.handler = webhook.NewHandler(webhook.Options{
				Controllers: parents.Controllers(memcached.Config{ReloaderImage: reloaderImage}),
				Now:         func() time.Time { return w.now.Add(w.skew) },
			})
			w.run()
		})
	}
}

// edits are merged into the spec. Two of them make it invalid.
var edits = []string{
	`{"size": 0}`, `{"size": 1}`, `{"size": 2}`, `{"size": 4}`, `{"size": 5}`, `{"size": 8}`, `{"size": -1}`, `{"size": 1001}`,
	`{"scaling": {"maxStep": 1, "stepIntervalSeconds": 10}}`, `{"scaling": {"maxStep": 3, "stepIntervalSeconds": 240}}`,
	`{"scaling": {"maxStep": null, "stepIntervalSeconds": null}}`, `{"tls": null}`, `{"tls": {"secretName": "certificate"}}`,
	`{"image": "memcached:1.6.44-alpine"}`, `{"image": "memcached:1.6.45-alpine"}`, `{"service": {"annotations": null}}`,
	`{"service": {"annotations": {"a": "1"}}}`, `{"networkPolicy": {"enabled": true}}`, `{"networkPolicy": {"enabled": false}}`,
}

// faults are reasons why a container waits. The last reason is not valid in a condition.
var faults = []string{"ContainerCreating", "ImagePullBackOff", "CrashLoopBackOff", "container runtime is down"}

// events are what users, faults and the network do. Some affect w.pod or the child of w.kind, which are random too.
var events = []struct {
	text string
	do   func(w *walk)
}{
	{"spec becomes SPEC", func(w *walk) { w.edit(pick(w, edits)) }},
	{"spec becomes SPEC", func(w *walk) { w.edit(pick(w, edits)) }},
	{"POD gets fault FAULT", func(w *walk) { w.faults[w.pod.Name] = pick(w, faults) }},
	{"POD is OOM killed", func(w *walk) {
		w.pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: "OOMKilled", FinishedAt: metav1.NewTime(w.now)}
	}},
	{"POD is evicted", func(w *walk) { w.pods = slices.DeleteFunc(w.pods, func(pod *corev1.Pod) bool { return pod == w.pod }) }},
	{"KIND is refused by the API server", func(w *walk) { w.refused = w.kind }},
	{"all faults end", func(w *walk) { clear(w.faults); w.refused = "" }},
	{"KIND is deleted", func(w *walk) { delete(w.children, w.kind) }},
	{"KIND is edited", (*walk).editChild},
	{"status is lost", func(w *walk) { w.parent.Status = v1alpha1.MemcachedStatus{} }},
	{"the clock of the hook is ahead by SKEW", func(w *walk) { w.skew = time.Duration(w.random.IntN(1200)-600) * time.Second }},
	{"the hook gets a stale parent", func(w *walk) { r := w.observe(); r.Parent = w.sent.Parent; w.sync(r) }},
	{"the hook gets stale children", func(w *walk) { r := w.observe(); r.Children = w.sent.Children; w.sync(r) }},
	{"the hook gets stale pods", func(w *walk) { r := w.observe(); r.Related = w.sent.Related; w.sync(r) }},
}

// walk does what Metacontroller does: it observes the cluster, calls the hook, and applies the response.
type walk struct {
	cluster
	*testing.T
	step    int
	trace   []string
	pod     *corev1.Pod   // the pod that the next event can affect
	kind    string        // the kind that the next event can affect
	skew    time.Duration // how far the clock of the hook is ahead
	handler http.Handler
	parent  v1alpha1.Memcached
	sent    syncRequest // the last request
	got     string      // the last response
	resync  time.Time   // when the last resyncAfterSeconds ends

	cached    []relatedRule // the rules for pods of the generation cachedFor
	cachedFor int64
}

type syncRequest struct {
	Controller struct{}                          `json:"controller"`
	Parent     v1alpha1.Memcached                `json:"parent"`
	Children   map[string]map[string]*child      `json:"children"`
	Related    map[string]map[string]*corev1.Pod `json:"related"`
}

func (w *walk) run() {
	w.parent.APIVersion, w.parent.Kind, w.parent.Name, w.parent.Namespace = "cache.example.com/v1alpha1", "Memcached", "cache", "web"
	w.edit(fmt.Sprintf(`{"size": 3, "workload": %q}`, strings.TrimSuffix(w.workload, ".apps/v1")))
	w.sync(w.observe())
	for range 60 {
		for w.step++; w.random.IntN(4) > 0; {
			pods := append(slices.Clone(w.pods), w.newPod(nil)) // one more for a cluster without pods
			event := pick(w, events)
			w.pod, w.kind = pick(w, pods), pick(w, childKinds)
			event.do(w)
			details := strings.NewReplacer("SPEC", string(encode(w, w.parent.Spec)), "POD", w.pod.Name, "FAULT", w.faults[w.pod.Name], "KIND", w.kind, "SKEW", w.skew.String())
			w.trace = append(w.trace, fmt.Sprintf("step %d: %s", w.step, details.Replace(event.text)))
		}
		w.tick(time.Duration(1+w.random.IntN(40)) * time.Second)
		w.sync(w.observe())
	}
	w.edit(`{"size": 6}`)
	w.faults, w.refused = nil, ""
	w.sync(w.observe())
	for range 60 { // minutes; Metacontroller calls the hook only when an object changes or resyncAfterSeconds ends
		w.tick(time.Minute)
		next := w.observe()
		if !reflect.DeepEqual(next.Children, w.sent.Children) || !reflect.DeepEqual(next.Related, w.sent.Related) || !w.now.Before(w.resync) {
			w.sync(next)
		}
	}
	last := w.got
	w.sync(w.observe())
	w.must(len(w.sent.Related["Pod.v1"]) == len(w.pods), "the rules select all pods: %v, %v", w.cached, w.pods)
	w.must(w.got == last, "a quiet cluster gets the same response again: %s", gocmp.Diff(last, w.got))
	w.must(meta.IsStatusConditionTrue(w.parent.Status.Conditions, "Ready"), "a cluster without faults is Ready: %v", w.parent.Status.Conditions)
}

func pick[T any](w *walk, values []T) T { return values[w.random.IntN(len(values))] }

func (w *walk) edit(patch string) {
	w.must(json.Unmarshal([]byte(patch), &w.parent.Spec) == nil, "an edit is JSON: %s", patch)
	w.parent.Generation++
}

// editChild changes fields that the hook sets. The next response restores them.
func (w *walk) editChild() {
	if child := w.children[w.kind].DeepCopy(); child != nil {
		child.SetLabels(nil)
		child.SetGeneration(child.GetGeneration() + 1)
		_ = unstructured.SetNestedField(child.Object, w.random.Int64N(12), "spec", "replicas")
		w.children[w.kind] = child
	}
}

func (w *walk) observe() syncRequest {
	r := syncRequest{Parent: *w.parent.DeepCopy(), Children: map[string]map[string]*child{}, Related: map[string]map[string]*corev1.Pod{"Pod.v1": {}}}
	for _, kind := range childKinds {
		r.Children[kind] = map[string]*child{}
		if child := w.children[kind]; child != nil {
			r.Children[kind]["web/cache"] = child
		}
	}
	for _, pod := range w.pods {
		if slices.ContainsFunc(w.rules(), func(rule relatedRule) bool { return rule.selects(pod) }) {
			r.Related["Pod.v1"]["web/"+pod.Name] = pod.DeepCopy()
		}
	}
	return r
}

// rules returns the rules of the customize hook. Metacontroller caches them for each generation, for up to 20 minutes; here they
// are cached forever.
func (w *walk) rules() []relatedRule {
	if w.cached == nil || w.cachedFor != w.parent.Generation {
		w.cached, w.cachedFor = podRules(w, w.handler, "memcached", map[string]any{"controller": map[string]any{}, "parent": w.parent}), w.parent.Generation
	}
	return w.cached
}

func (w *walk) sync(sent syncRequest) {
	recorder := post(w.handler, "/memcached/sync", encode(w, sent))
	w.must(recorder.Code == http.StatusOK, "no request is refused: %d %s", recorder.Code, recorder.Body)
	w.sent, w.got, w.resync = sent, recorder.Body.String(), w.now.Add(24*time.Hour)
	var got struct {
		Status             v1alpha1.MemcachedStatus
		Children           []*child
		ResyncAfterSeconds float64
	}
	w.must(json.Unmarshal([]byte(w.got), &got) == nil, "a response is JSON: %s", w.got)
	if got.ResyncAfterSeconds > 0 {
		w.resync = w.now.Add(time.Duration(got.ResyncAfterSeconds * float64(time.Second)))
	}
	desired := map[string]*child{}
	for _, child := range got.Children {
		kind := groupKey(child.Object)
		desired[kind] = child
		if kind != w.refused {
			w.children[kind] = applied(w.children[kind], child)
		}
	}
	maps.DeleteFunc(w.children, func(kind string, _ *child) bool { return desired[kind] == nil })
	w.parent.Status = got.Status
	w.check(got.Status, desired)
}
