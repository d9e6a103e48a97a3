package walk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// walker does random things to a cluster.
type walker struct {
	*metacontroller
	random       *rand.Rand
	observations []*observation
	states       [][]byte // former statuses
	valid        []byte   // the last valid spec
	pod          *pod     // the pod and the child that the next event affects
	child        string
	trace        []string
}

func (w *walker) note(format string, args ...any) {
	w.trace = append(w.trace, w.now.Format(time.TimeOnly)+" "+fmt.Sprintf(format, args...))
}

func pick[T any](w *walker, from []T) T { return from[w.random.IntN(len(from))] }

// faults are reasons why a container waits. The last one is no valid reason of a condition.
var faults = []string{"ContainerCreating", "ImagePullBackOff", "CrashLoopBackOff", "container runtime is down"}

// event is something that can happen. With proxies, all items are kept if keeps is true.
type event struct {
	weight int
	text   string
	do     func(w *walker)
	keeps  bool
}

// events are what users, faults and the network do.
var events = []event{
	{10, "a user edits spec", func(w *walker) { w.editSpec(pick(w, edits)) }, true},
	{1, "a user stores an invalid spec", func(w *walker) { w.parent.replace(mergePatch(w.valid, pick(w, invalidEdits)), w.now) }, false},
	{2, "the container of a pod cannot run", func(w *walker) { w.faults[w.pod.Name] = pick(w, faults) }, false},
	{2, "the probe of a pod fails", func(w *walker) { w.pod.unreadyUntil = w.now.Add(90 * time.Second) }, true},
	{2, "a pod is evicted", (*walker).evict, true},
	{1, "a node is lost", (*walker).loseNode, false},
	{1, "the API server refuses writes of a kind", func(w *walker) { w.refused, _, _ = strings.Cut(w.child, "/") }, false},
	{2, "all faults end", (*walker).endFaults, false},
	{2, "a user deletes a child", func(w *walker) { delete(w.children, w.child) }, false},
	{4, "a user edits a child", (*walker).editChild, false},
	{1, "a child loses its label", func(w *walker) {
		w.edit(w.child, w.now, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"app": "memcached"}) })
	}, false},
	{1, "the status is lost", func(w *walker) { w.parent.status = []byte(`{"observedGeneration":-1}`) }, true},
	{1, "an old status is restored", func(w *walker) { w.parent.status = pick(w, w.states) }, true},
	{1, "the clock of the hook changes", func(w *walker) { w.skew = time.Duration(w.random.IntN(1200)-600) * time.Second }, false},
	{1, "the hook observes an earlier state", func(w *walker) { w.stale(func(v, old *observation) { *v = *old }) }, true},
	{1, "the hook observes an earlier parent", func(w *walker) { w.stale(func(v, old *observation) { v.parent = old.parent }) }, true},
	{2, "the hook observes earlier children of a kind", func(w *walker) { w.stale(func(v, old *observation) { v.lag(old, pick(w, kinds)) }) }, true},
	{1, "the hook observes earlier pods", func(w *walker) {
		w.stale(func(v, old *observation) { v.pods, v.podNames = old.pods, old.podNames })
	}, true},
	{2, "Metacontroller is killed during its writes", func(w *walker) { w.sync(w.observe(), w.random.IntN(4)) }, true},
	{1, "the parent is deleted with its children, and created again", func(w *walker) { clear(w.children); w.recreate() }, false},
	{1, "the parent is deleted without its children, and created again", func(w *walker) { w.orphan(); w.recreate() }, false},
	{1, "a user labels orphans for adoption", (*walker).adopt, false},
}

// happen does one random event.
func (w *walker) happen() {
	happening := slices.DeleteFunc(slices.Clone(events), func(e event) bool { return w.calm && !e.keeps })
	sum := 0
	for _, event := range happening {
		sum += event.weight
	}
	chosen := w.random.IntN(sum)
	w.child = "Service/none"
	if len(w.children) > 0 {
		w.child = pick(w, w.keys())
	}
	w.pod = &pod{fault: "none", goneAt: w.now}
	w.pod.DeletionTimestamp = new(metav1.NewTime(w.now)) // an event without a pod does nothing
	if len(w.pods) > 0 {
		w.pod = pick(w, w.pods)
	}
	w.states = append(w.states, w.parent.status)
	for _, event := range happening {
		if chosen -= event.weight; chosen < 0 {
			w.note("%s (%s, %s)", event.text, w.child, w.pod.Name)
			event.do(w)
			return
		}
	}
}

// editSpec merges a patch unless the API server would refuse the result.
func (w *walker) editSpec(patch string) {
	if spec := mergePatch(w.valid, patch); w.accepted(spec) && (!w.calm || !losesItems(spec)) {
		w.parent.replace(spec, w.now)
		w.valid = spec
		w.note("spec: %s", patch)
	}
}

// accepted reports whether a spec is valid. The hook has the rules of the CRD too.
func (m *metacontroller) accepted(spec []byte) bool {
	v := &observation{parent: newParent("validation", spec, m.now)}
	return !invalid(statusOf(m.hook("/memcached/sync", v.request(), m.now)))
}

// losesItems reports whether some items are lost with a spec, or may be.
func losesItems(text []byte) bool {
	spec := decoded[v1alpha1.MemcachedSpec](text)
	return *spec.Size == 0 || spec.Proxy == nil || spec.Proxy.Warmup.Enabled != nil || spec.Proxy.Warmup.MaxSeconds != nil || spec.TerminationGracePeriodSeconds != nil
}

// evict deletes a pod. Of a cache whose items must be kept, only one server is deleted at a time, as its PodDisruptionBudget allows.
func (w *walker) evict() {
	budget := w.children["PodDisruptionBudget/"+name]
	blocked := w.pod.routes != (routes{}) || budget != nil && budget.number("spec", "maxUnavailable") == 0
	for _, p := range w.pods {
		blocked = blocked || p.routes == (routes{}) && (p.DeletionTimestamp != nil || !p.ready)
	}
	if !w.calm || !blocked {
		w.terminate(w.pod)
	}
}

// loseNode makes a pod unready without a reason, as the node controller does, and deletes it.
func (w *walker) loseNode() {
	w.lost[w.pod.Name] = true
	w.terminate(w.pod)
	for i := range w.pod.Status.Conditions {
		w.pod.Status.Conditions[i].Status, w.pod.Status.Conditions[i].Reason = corev1.ConditionFalse, ""
	}
	w.pod.changed()
}

func (w *walker) endFaults() {
	clear(w.faults)
	clear(w.lost)
	w.refused, w.skew = "", 0
	for _, key := range w.keys() {
		w.edit(key, w.now, func(o *unstructured.Unstructured) { unstructured.RemoveNestedField(o.Object, "spec", "paused") })
	}
}

// editChild changes a field that the hook sets, or one that it must keep.
func (w *walker) editChild() {
	choice := w.random.IntN(6)
	w.edit(w.child, w.now, func(o *unstructured.Unstructured) {
		_, isWorkload, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "template")
		isWorkload = isWorkload && o.GetKind() != "Job" // its template is immutable
		switch {
		case choice == 0:
			o.SetLabels(withEntry(o.GetLabels(), "app", "edited"))
		case choice == 1 && o.GetKind() == "Service":
			_ = unstructured.SetNestedField(o.Object, "edited", "spec", "selector", "app")
		case !isWorkload:
			o.SetAnnotations(withEntry(o.GetAnnotations(), foreignAnnotation, "now"))
		case choice == 2:
			_ = unstructured.SetNestedField(o.Object, w.random.Int64N(8), "spec", "replicas")
		case choice == 3:
			containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
			containers[0].(map[string]any)["image"] = "edited"
			_ = unstructured.SetNestedSlice(o.Object, containers, "spec", "template", "spec", "containers")
		case choice == 4 && o.GetKind() == "Deployment":
			_ = unstructured.SetNestedField(o.Object, true, "spec", "paused")
		default:
			_ = unstructured.SetNestedField(o.Object, "now", "spec", "template", "metadata", "annotations", foreignAnnotation)
		}
	})
}

// stale shows the hook a mixture of this and an earlier observation of the same parent.
func (w *walker) stale(mix func(v, old *observation)) {
	v, old := w.observe(), pick(w, w.observations)
	if old.parent.uid == v.parent.uid {
		mix(v, old)
		w.sync(v, all)
	}
}

// recreate replaces the parent by a new one with the same spec.
func (w *walker) recreate() {
	w.serial++
	w.parent = newParent(types.UID(fmt.Sprint("parent-", w.serial)), w.parent.spec, w.now)
}

// orphan removes the owner of all children.
func (w *walker) orphan() {
	for _, key := range w.keys() {
		w.edit(key, w.now, func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) })
	}
}

// adopt gives all orphans the label with which Metacontroller adopts them.
func (w *walker) adopt() {
	for _, key := range w.keys() {
		if w.children[key].owner() == "" {
			w.edit(key, w.now, labelForAdoption(&w.parent))
		}
	}
}

func labelForAdoption(p *parent) func(o *unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { o.SetLabels(withEntry(o.GetLabels(), uidLabel, string(p.uid))) }
}

// step lets some time pass and events happen, and syncs.
func (w *walker) step() {
	for w.random.IntN(3) > 0 {
		w.happen()
	}
	w.now = w.now.Add(time.Duration(1+w.random.IntN(40)) * time.Second)
	w.kubelets()
	if w.random.IntN(3) > 0 {
		w.control()
		w.kubelets()
	}
	v := w.observe()
	w.sync(v, all)
	w.observations = append(w.observations, v)
	if len(w.observations) > 8 {
		w.observations = slices.Delete(w.observations, 0, 1)
	}
}
