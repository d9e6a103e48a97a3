package walk

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// perturbation is one of the three of Sieve: it changes what happens at a sync.
type perturbation struct {
	name string
	// apply returns what the sync observes instead, and how many of its writes are applied.
	apply func(s *scenario, v *observation) (*observation, int)
}

var perturbations = []perturbation{
	{"intermediate: only the first writes of a sync are applied, and Metacontroller restarts", func(s *scenario, v *observation) (*observation, int) {
		return v, s.random.IntN(4)
	}},
	{"stale: the hook observes an earlier state again", func(s *scenario, v *observation) (*observation, int) {
		if len(s.complete) == 0 {
			return v, all
		}
		s.again = true // Metacontroller observes the current state afterwards
		return s.complete[s.random.IntN(len(s.complete))], all
	}},
	{"stale: the hook observes an earlier state of one kind", func(s *scenario, v *observation) (*observation, int) {
		return s.lagging(v), all
	}},
	{"unobserved: a change is hidden until another one cancels it", func(s *scenario, _ *observation) (*observation, int) {
		s.hide(s.random.IntN(3))
		return s.observe(), all
	}},
}

// scenario edits spec a few times, and lets the cluster settle after each edit. Nothing in it is random, so that two runs differ
// only in the perturbation.
type scenario struct {
	*metacontroller
	random       *rand.Rand
	perturbation *perturbation
	at           int            // the sync that is perturbed
	observations []*observation // earlier observations
	complete     []*observation // those with all desired children
	again        bool
}

// result is what two runs of a scenario must have in common.
type result struct {
	states           []map[string]string // after each edit
	created, deleted map[string]int
	syncs            int
}

func (s *scenario) run(patches []string) result {
	var r result
	s.perturb, s.complete = s.onSync, nil
	s.faultless = s.perturbation == nil
	for _, patch := range patches {
		s.parent.replace(mergePatch(s.parent.spec, patch), s.now)
		s.settle()
		r.states = append(r.states, s.snapshot())
	}
	r.created, r.deleted, r.syncs = s.created, s.deleted, s.syncs
	return r
}

func (s *scenario) onSync(v *observation) (*observation, int) {
	if s.again {
		s.again = false
		return s.observe(), all
	}
	if s.perturbation != nil && s.syncs > s.at {
		perturb := s.perturbation
		s.perturbation = nil
		return perturb.apply(s, v)
	}
	s.observations = append(s.observations, v)
	// An observation without a desired child is not shown again: every controller would create the child.
	if s.last != nil && len(s.desired) == len(s.last.children) {
		s.complete = append(s.complete, s.last)
	}
	return v, all
}

// lagging returns an observation with earlier children of one kind. The kind is often that of the workload.
func (s *scenario) lagging(v *observation) *observation {
	old, kind := s.observations[s.random.IntN(len(s.observations))], kinds[s.random.IntN(len(kinds))]
	if s.random.IntN(2) == 0 {
		old, kind = s.observations[0], workloadIn(v.children).group() // before its creation
	}
	isKind := func(o *object) bool { return o.group() == kind }
	isOther := func(o *object) bool { return o.group() != kind }
	lagging := *v
	lagging.children = slices.DeleteFunc(slices.Clone(v.children), isKind)
	lagging.children = append(lagging.children, slices.DeleteFunc(slices.Clone(old.children), isOther)...)
	s.again = true
	return &lagging
}

// hide makes a change and cancels it while Metacontroller observes nothing.
func (s *scenario) hide(choice int) {
	spec := s.parent.spec
	switch choice {
	case 0: // a user sets the size to 0 and back
		s.parent.replace(mergePatch(spec, `{"size": 0}`), s.now)
		s.parent.replace(spec, s.now)
	case 1: // a user disables everything that is optional, and enables it again
		s.parent.replace(mergePatch(spec, `{"podDisruptionBudget": {"enabled": false}, "networkPolicy": {"enabled": false}, "proxy": null}`), s.now)
		s.parent.replace(spec, s.now)
	case 2: // an autoscaler scales all workloads and back
		for _, key := range s.keys() {
			if replicas := s.children[key].number("spec", "replicas"); replicas > 0 {
				for _, count := range []int64{replicas + 1, replicas} {
					s.edit(key, s.now, func(o *unstructured.Unstructured) {
						_ = unstructured.SetNestedField(o.Object, count, "spec", "replicas")
					})
				}
			}
		}
	}
}

// mustSurvivePerturbations checks the oracles of Sieve: with a perturbation, each edit leads to the same state, and each child is
// created and deleted as often.
func (w *walker) mustSurvivePerturbations() {
	patches := w.patches()
	want := w.scenario(nil, 0).run(patches)
	for i := range perturbations {
		if !*everything && i != int(w.seed)%len(perturbations) {
			continue
		}
		p, at := &perturbations[i], 1+w.random.IntN(want.syncs-2)
		w.trace = append([]string{}, fmt.Sprintf("%s, at sync %d of %d", p.name, at, want.syncs), fmt.Sprint(patches))
		got := w.scenario(p, at).run(patches)
		for i := range patches {
			mustEqual(want.states[i], got.states[i], fmt.Sprintf("%s: the state after edit %d differs", p.name, i))
		}
		for what, counts := range map[string][2]map[string]int{"creations": {want.created, got.created}, "deletions": {want.deleted, got.deleted}} {
			must(maps.Equal(counts[0], counts[1]), "%s: the numbers of %s are the same: %s", p.name, what, cmp.Diff(counts[0], counts[1]))
		}
	}
}

// patches returns valid edits, from the creation on.
func (w *walker) patches() []string {
	patches, spec := []string{`{}`}, newWalker(w.seed, w.install).valid
	if w.seed%4 == 1 {
		patches[0] = pick(w, proxyEdits[:2])
		spec = mergePatch(spec, patches[0])
	}
	for len(patches) < 4 {
		patch := pick(w, edits)
		if len(patches)%2 == 0 {
			patch = pick(w, sizeEdits)
		}
		if next := mergePatch(spec, patch); w.accepted(next) && !slices.Contains(patches, patch) {
			patches, spec = append(patches, patch), next
		}
	}
	return patches
}

func (w *walker) scenario(p *perturbation, at int) *scenario {
	fresh := newWalker(w.seed, w.install).metacontroller
	return &scenario{metacontroller: fresh, random: rand.New(rand.NewPCG(w.seed, 1)), perturbation: p, at: at}
}
