package test

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// event is one thing that a person, a fault or the network does.
func (w *walk) event() {
	switch w.random.IntN(16) {
	case 0, 1, 2, 3:
		w.editSpec()
	case 4, 5:
		w.breakPod()
	case 6, 7:
		w.note("the faults of all pods end")
		clear(w.faults)
	case 8:
		if pods := w.live(); len(pods) > 0 {
			pod := pods[w.random.IntN(len(pods))]
			w.note("memcached of pod %s is killed for its memory", pod.Name)
			w.killForMemory(pod)
		}
	case 9, 10:
		w.stale = []string{"children", "pods", "status"}[w.random.IntN(3)]
		w.note("Metacontroller's view of %s is stale", w.stale)
		w.steady = false
		if w.stale == "children" {
			// With a new size that turns the direction of the steps, the hook cannot tell this from an edit by hand, and
			// takes the last step back before the interval is over.
			w.stepped = time.Time{}
		}
	case 11:
		w.note("the status is lost")
		delete(w.parent.Object, "status")
	case 12:
		w.deleteChild()
	case 13:
		w.editChild()
	case 14:
		w.skew, w.stepped = time.Duration(w.random.IntN(1200)-600)*time.Second, time.Time{}
		w.note("the hook's clock is %s ahead", w.skew)
	case 15:
		w.refused = []string{"", "NetworkPolicy", "Service", "Deployment"}[w.random.IntN(4)]
		w.note("the API server refuses %q", w.refused)
	}
}

// editSpec changes one field of the spec, or makes the spec invalid for a while.
func (w *walk) editSpec() {
	if w.valid != nil {
		w.restoreSpec()
		return
	}
	if w.random.IntN(20) == 0 {
		w.note("a new parent")
		w.newParent()
		return
	}
	spec := w.parent.Object["spec"].(map[string]any)
	edits := []struct {
		field  string
		values []any
	}{
		{"size", []any{w.random.Int64N(9), w.random.Int64N(9)}},
		{"size", []any{w.random.Int64N(9)}},
		{"scaling", []any{nil, map[string]any{"maxStep": 1 + w.random.Int64N(3), "stepIntervalSeconds": 10 + w.random.Int64N(290)}, map[string]any{"maxStep": 1 + w.random.Int64N(3)}}},
		{"image", []any{nil, "memcached:1.6.44-alpine", "memcached:1.6.45-alpine"}},
		{"tls", []any{nil, map[string]any{"secretName": "certificate"}}},
		{"auth", []any{nil, map[string]any{"secretName": "users"}}},
		{"metrics", []any{nil, map[string]any{"enabled": true}}},
		{"networkPolicy", []any{nil, map[string]any{"enabled": false}, map[string]any{"from": []any{map[string]any{"podSelector": map[string]any{}}}}}},
		{"service", []any{nil, map[string]any{"annotations": map[string]any{"a": "1"}}, map[string]any{"annotations": map[string]any{"b": "2"}}}},
		{"rollout", []any{nil, map[string]any{"minReadySeconds": int64(0)}, map[string]any{"minReadySeconds": w.random.Int64N(60)}}},
		{"invalid", []any{map[string]any{"size": int64(-1)}, map[string]any{"size": int64(1001)}, map[string]any{"scaling": map[string]any{"stepIntervalSeconds": int64(9)}}, map[string]any{"image": int64(1)}}},
	}
	edit := edits[w.random.IntN(len(edits))]
	value := edit.values[w.random.IntN(len(edit.values))]
	switch {
	case edit.field == "invalid":
		w.valid = w.parent.DeepCopy().Object["spec"].(map[string]any)
		for field, bad := range value.(map[string]any) {
			spec[field] = bad
		}
	case value == nil:
		delete(spec, edit.field)
	default:
		spec[edit.field] = value
	}
	w.parent.SetGeneration(w.parent.GetGeneration() + 1)
	w.note("spec.%s is %v", edit.field, value)
}

func (w *walk) restoreSpec() {
	if w.valid == nil {
		return
	}
	w.note("the spec is valid again")
	w.parent.Object["spec"], w.valid = w.valid, nil
	w.parent.SetGeneration(w.parent.GetGeneration() + 1)
}

func (w *walk) breakPod() {
	pods := w.live()
	if len(pods) == 0 {
		return
	}
	pod, fault := pods[w.random.IntN(len(pods))], podFaults[w.random.IntN(len(podFaults))]
	w.faults[pod.Name] = fault
	w.note("pod %s has fault %s", pod.Name, fault)
}

// anyChild returns a random child, in an order that depends on the seed alone.
func (w *walk) anyChild() *unstructured.Unstructured {
	kinds := []string{"Deployment", "StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy"}
	return w.children[kinds[w.random.IntN(len(kinds))]]
}

func (w *walk) deleteChild() {
	if child := w.anyChild(); child != nil {
		w.note("somebody deletes %s", child.GetKind())
		delete(w.children, child.GetKind())
		w.steady = false
	}
}

// editChild changes by hand what the hook sets. Metacontroller sets it back.
func (w *walk) editChild() {
	child := w.anyChild()
	if child == nil {
		return
	}
	child = child.DeepCopy()
	path, value := []string{"spec", "extra"}, any("x")
	switch child.GetKind() {
	case "Deployment", "StatefulSet":
		path, value = []string{"spec", "replicas"}, w.random.Int64N(12)
		w.steady = false
	case "Service":
		path, value = []string{"spec", "publishNotReadyAddresses"}, false
	}
	w.note("somebody sets %s of %s to %v", path[len(path)-1], child.GetKind(), value)
	_ = unstructured.SetNestedField(child.Object, value, path...)
	w.store(child)
}
