package golden

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// check compares a response with its request. desired has the returned children by kind.
func (w *walk) check(status v1alpha1.MemcachedStatus, desired map[string]*child) {
	spec, before := w.sent.Parent.Spec, w.sent.Parent.Status
	w.must(validation.ValidateConditions(status.Conditions, nil) == nil, "the API server accepts the conditions: %v", status.Conditions)
	for _, condition := range status.Conditions {
		last := cmp.Or(meta.FindStatusCondition(before.Conditions, condition.Type), &condition)
		w.must(last.Status != condition.Status || last.LastTransitionTime.Equal(&condition.LastTransitionTime),
			"lastTransitionTime changes only with the status: %v, %v", last, condition)
		w.must(len([]rune(condition.Message)) <= 1000, "messages are short: %v", condition)
	}
	isReady := meta.IsStatusConditionTrue(status.Conditions, "Ready")
	w.must(!isReady || !meta.IsStatusConditionTrue(status.Conditions, "Degraded"), "Ready and Degraded are not both True: %v", status.Conditions)
	workload, valid := cmp.Or(w.sent.Children[w.workload]["web/cache"], &child{}), *spec.Size >= 0 && *spec.Size <= 1000
	for _, kind := range childKinds {
		observed := w.sent.Children[kind]["web/cache"]
		if observed != nil && !valid {
			w.must(observed.GetAnnotations()[lastApplied] == string(encode(w, desired[kind])), "an invalid spec changes no %s: %v", kind, desired[kind])
		}
		if desired[kind] != nil && isReady {
			w.must(applied(observed, desired[kind]) == observed, "Ready only with the desired %s: observed %v, desired %v", kind, observed, desired[kind])
		}
	}
	if isReady {
		for _, field := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
			w.must(number(workload, "status", field) == int64(*spec.Size), "Ready only with all %s: %v", field, workload.Object["status"])
		}
		running := count(slices.Collect(maps.Values(w.sent.Related["Pod.v1"])), ready)
		w.must(running >= int64(*spec.Size), "Ready only with all pods: %d of %d are ready", running, *spec.Size)
	}
	if maxStep := spec.Scaling.MaxStep; valid && maxStep != nil {
		from, to := number(workload, "spec", "replicas"), number(desired[w.workload], "spec", "replicas")
		w.must(from == 0 || max(from-to, to-from) <= int64(*maxStep), "steps are within maxStep %d: from %d to %d", *maxStep, from, to)
	}
}

// must stops the walk when an invariant does not hold.
func (w *walk) must(holds bool, invariant string, args ...any) {
	if !holds {
		w.Fatalf("%s, step %d, violates the invariant that %s\nlast events:\n%s", w.Name(), w.step, fmt.Sprintf(invariant, args...), strings.Join(w.trace[max(len(w.trace)-20, 0):], "\n"))
	}
}
