// Package walk does random things to a model of a cluster with one Memcached, and checks what the hook responds with oracles of
// Acto, Sieve and Anvil.
package walk

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

var (
	firstSeed = flag.Uint64("seed", 1, "seed of the first walk")
	seeds     = flag.Uint64("seeds", 30, "number of walks")
	// everything is for the nightly run. A walk with it takes three times as long.
	everything = flag.Bool("everything", false, "run each perturbation with each seed, and each resync of a quiet day")
	start      = time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
)

// TestRandomWalk walks with each seed. -seed 7 -seeds 1 repeats the walk of seed 7.
func TestRandomWalk(t *testing.T) {
	t.Parallel()
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			for found := range walk(seed, memcachedHook) {
				t.Errorf("seed %d: %s", seed, found)
			}
		})
	}
}

// memcachedHook returns the hooks of Memcached, as the program serves them.
func memcachedHook() hook {
	var now time.Time
	handler := server.NewHandler(server.Options{
		Controllers: parents.Controllers(memcached.Config{OperatorImage: "registry.example.com/memcached-operator:1"}),
		Now:         func() time.Time { return now },
		Limits:      server.Limits{MaxHeapBytes: 4 << 30}, // the heap is that of the model too
	})
	return func(url string, request []byte, at time.Time) []byte {
		now = at
		recorder := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, url, bytes.NewReader(request))
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(recorder, r)
		must(recorder.Code == http.StatusOK, "no request is refused: %d %s", recorder.Code, recorder.Body)
		return recorder.Body.Bytes()
	}
}

// walk runs all checks with one seed. It yields the first violation that each part finds, with the last events.
func walk(seed uint64, install func() hook) iter.Seq[string] {
	return func(yield func(string) bool) {
		w := newWalker(seed, install)
		found := w.run(w.walk)
		if found == "" {
			found = w.run(w.mustSurviveOrphaning)
		}
		if found != "" && !yield(found) {
			return
		}
		if found := w.run(w.mustSurvivePerturbations); found != "" {
			yield(found)
		}
	}
}

// run runs a part of a walk. It returns the violation that the part finds; "" if there is none.
func (w *walker) run(part func()) (found string) {
	defer func() {
		reason := recover()
		if violation, isViolation := reason.(violation); isViolation {
			found = violation.text + "\nlast events:\n" + strings.Join(w.trace[max(len(w.trace)-25, 0):], "\n")
		} else if reason != nil {
			panic(reason)
		}
	}()
	part()
	return ""
}

func newWalker(seed uint64, install func() hook) *walker {
	spec := map[string]any{"size": 3, "workload": []string{"Deployment", "StatefulSet"}[seed%2]}
	text, err := json.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return &walker{metacontroller: newMetacontroller(seed, install, text, start), random: rand.New(rand.NewPCG(seed, 0)), valid: mergePatch(text, `{}`)}
}

func newMetacontroller(seed uint64, install func() hook, spec []byte, now time.Time) *metacontroller {
	return &metacontroller{
		cluster: cluster{
			apiServer: apiServer{children: map[string]*object{}, created: map[string]int{}, deleted: map[string]int{}},
			seed:      seed, now: now, faults: map[string]string{}, lost: map[string]bool{},
			templates: map[string]*template{}, progress: map[string]progress{},
		},
		parent:  newParent("parent", spec, now),
		install: install, hook: install(),

		decoded: map[string]*unstructured.Unstructured{}, unchanged: map[*object]*unstructured.Unstructured{},
	}
}

// walk lets random events happen. After the last fault, the cluster must reach the state of a new cluster with the same spec, and
// stay there.
func (w *walker) walk() {
	w.observations = []*observation{w.observe()}
	w.order = w.random
	for i := range uint64(3) { // so that 30 seeds use all edits
		w.editSpec(edits[(w.seed*3+i)%uint64(len(edits))])
	}
	if w.seed%4 == 1 {
		w.editSpec(pick(w, proxyEdits))
		w.editSpec(pick(w, stepEdits))
		w.editSpec(`{"preStopSleepSeconds": 90, "terminationGracePeriodSeconds": 120}`)
	}
	for range 20 {
		w.step()
	}
	w.endFaults()
	w.adopt()
	w.parent.replace(w.valid, w.now)
	w.order = nil
	w.note("the last fault ends, and spec is %s", w.parent.spec)
	w.settle()
	w.mustBeComplete()
	w.mustEqualFresh()
	w.staysQuiet(quietInterval())
	w.faultless = true
	w.mustReachZero()
	w.faultless = false
}

// mustReachZero sets the size to 0 and back. No server and no proxy may run in between.
func (w *walker) mustReachZero() {
	spec := w.parent.spec
	before := w.snapshot()
	w.parent.replace(mergePatch(spec, `{"size": 0}`), w.now)
	w.note("the size becomes 0")
	w.settle()
	must(len(w.pods) == 0, "a cache of size 0 has no pods: %s", podNames(w.pods))
	w.parent.replace(spec, w.now)
	w.note("the size becomes the former one again")
	w.settle()
	mustEqual(before, w.snapshot(), "after the size was 0, the state differs from that before")
}

// mustBeComplete checks the quiet state without knowledge of spec.
func (w *walker) mustBeComplete() {
	status := statusOf(w.response)
	for _, condition := range status.Conditions {
		if condition.Type == "Ready" {
			must(condition.Status == "True", "a cluster without faults is Ready: %s: %s", condition.Reason, condition.Message)
		}
	}
	must(len(w.last.pods) == len(w.pods), "the rules select all pods: %d of %d", len(w.last.pods), len(w.pods))
}

// mustEqualFresh checks the oracle of Acto: the state is that of a new Memcached with the same spec.
func (w *walker) mustEqualFresh() {
	fresh := newMetacontroller(w.seed, w.install, w.parent.spec, w.now)
	fresh.settle()
	mustEqual(fresh.snapshot(), w.snapshot(), "the state differs from that of a new Memcached with the same spec")
}

// mustSurviveOrphaning deletes the parent without its children, creates it again, and runs the command in the status once. No pod
// may be replaced, and the state must be the same again.
func (w *walker) mustSurviveOrphaning() {
	before, pods := w.snapshot(), podNames(w.pods)
	if pods == "" {
		return // status has the command only if a cache can be lost
	}
	w.orphan()
	w.recreate()
	w.note("the parent is created again, and its children are orphans")
	for deadline := w.now.Add(time.Hour); ; {
		must(w.now.Before(deadline), "status has the command that adopts orphans: %s", w.parent.status)
		w.advance()
		if w.runCommand() {
			break
		}
	}
	w.settle()
	mustEqual(before, w.snapshot(), "the state after the adoption differs from the state before")
	must(pods == podNames(w.pods), "the adoption keeps the pods: %s, %s", pods, podNames(w.pods))
}

func podNames(pods []*pod) string {
	var names []string
	for _, p := range pods {
		names = append(names, p.Name+" "+string(p.UID))
	}
	return strings.Join(names, ", ")
}

// runCommand runs the command that status reports for orphans: kubectl label --overwrite -n NAMESPACE KIND/NAME… LABEL=UID.
func (w *walker) runCommand() bool {
	_, command, found := strings.Cut(string(w.parent.status), "kubectl label --overwrite -n "+namespace+" ")
	if !found {
		return false
	}
	command, _, _ = strings.Cut(command, `"`)
	for _, key := range w.keys() {
		if strings.Contains(" "+command+" ", " "+strings.ToLower(key)+" ") {
			w.edit(key, w.now, labelForAdoption(&w.parent))
		}
	}
	return true
}
