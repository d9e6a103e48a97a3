/*
Package walk does random things to a model of a cluster with one Memcached, and checks every response of the hook.

The seed decides everything: go test ./test/walk -run TestRandomWalk -seed 7 -seeds 1 repeats a walk. make test runs 30 walks, make fuzz 300.

The model includes Metacontroller, the API server, Deployments, StatefulSets, Jobs, kubelets, and, following library.lua, which proxy knows
which servers and which server has which item. It omits finalizers, volumes and the validation of the CRD: the hook's own validation decides
which edits the API server refuses.

What must hold:

  - Promises (promise_test.go): no server that a running proxy knows is removed or replaced; proxies of at most two neighbouring phases run;
    after events that keep all items, the proxies find each of them, unless AtRisk has reported that a grace period is too short.
  - Invariants (invariants_test.go): each response matches what the hook observed: times and generations of conditions, Ready, Available, an
    invalid spec.
  - Acto (https://doi.org/10.1145/3600006.3613161): after the last fault, and after each of several edits at rest, the state is that of a new
    Memcached with the same spec. One command that adopts orphans leads to the same state, and replaces no pod.
  - Anvil (https://www.usenix.org/conference/osdi24/presentation/sun-xudong, settle_test.go): after the last fault, the state is reached. Then
    each response of a day is the same, and nothing is written.
*/
package walk

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

var (
	firstSeed = flag.Uint64("seed", 1, "seed of the first walk")
	seeds     = flag.Uint64("seeds", 30, "number of walks")
	start     = time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
)

// TestRandomWalk walks with each seed. -seed 7 -seeds 1 repeats the walk of seed 7.
func TestRandomWalk(t *testing.T) {
	t.Parallel()
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			for _, part := range []func(*walker){(*walker).walk, (*walker).mustFollowEdits, (*walker).mustKeepItems} {
				if found := newWalker(seed).run(part); found != "" {
					t.Errorf("seed %d: %s", seed, found)
				}
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
		if recorder.Code == http.StatusUnprocessableEntity {
			return nil // the spec is invalid, the status says so, and somebody has changed a child
		}
		must(recorder.Code == http.StatusOK, "no request is refused: %d %s", recorder.Code, recorder.Body)
		return recorder.Body.Bytes()
	}
}

// run runs a part of a walk. It returns the violation that the part finds; "" if there is none.
func (w *walker) run(part func(*walker)) (found string) {
	defer func() {
		reason := recover()
		if violation, isViolation := reason.(violation); isViolation {
			found = violation.text + "\nlast events:\n" + strings.Join(w.trace[max(len(w.trace)-25, 0):], "\n")
		} else if reason != nil {
			panic(reason)
		}
	}()
	part(w)
	return ""
}

func newWalker(seed uint64) *walker {
	spec := map[string]any{"size": 3, "workload": []string{"Deployment", "StatefulSet"}[seed%2]}
	text, err := json.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return &walker{metacontroller: newMetacontroller(seed, text, start), random: rand.New(rand.NewPCG(seed, 0)), valid: mergePatch(text, `{}`)}
}

func newMetacontroller(seed uint64, spec []byte, now time.Time) *metacontroller {
	return &metacontroller{
		cluster: cluster{
			apiServer: apiServer{children: map[string]*object{}},
			seed:      seed, now: now, faults: map[string]string{}, lost: map[string]bool{},
			templates: map[string]*template{},
		},
		parent: newParent("parent", spec, now),
		hook:   memcachedHook(),

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
	w.staysQuiet()
	w.mustSurviveOrphaning()
}

// mustBeComplete checks the quiet state without knowledge of spec.
func (w *walker) mustBeComplete() {
	conditions := statusOf(w.response).Conditions
	must(meta.IsStatusConditionTrue(conditions, "Ready"), "a cluster without faults is Ready: %v", conditions)
	must(len(w.last.pods) == len(w.pods), "the rules select all pods: %d of %d", len(w.last.pods), len(w.pods))
}

// mustEqualFresh checks the oracle of Acto: the state is that of a new Memcached with the same spec.
func (m *metacontroller) mustEqualFresh() {
	fresh := newMetacontroller(m.seed, m.parent.spec, m.now)
	fresh.settle()
	mustEqual(fresh.snapshot(), m.snapshot(), "the state differs from that of a new Memcached with the same spec")
}

// mustFollowEdits edits spec at rest. After each edit, the cluster must reach the state of a new Memcached with the same spec.
func (w *walker) mustFollowEdits() {
	first, size := `{}`, pick(w, sizeEdits)
	if w.seed%2 == 1 { // a StatefulSet
		first = proxyEdits[w.seed/2%2]
	}
	w.settle()
	for _, patch := range []string{first, edits[w.seed*5%uint64(len(edits))], size, edits[(w.seed*5+1)%uint64(len(edits))], `{"metrics": {"enabled": true}}`} {
		w.editSpec(patch)
		w.settle()
		w.mustEqualFresh()
	}
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
