package test

import (
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// validReason is what the API server accepts as the reason of a condition.
var validReason = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

// check compares a response with what was sent: conditions are well formed, agree with each other and with the view.
func (w *walk) check(sent view, got answer) {
	before, after := conditionsOf(sent.parent.Object["status"]), conditionsOf(got.Status)
	for kind, condition := range after {
		reason, message := condition["reason"].(string), condition["message"].(string)
		if !validReason.MatchString(reason) || len(reason) > 1024 {
			w.fail("the API server refuses the reason %q of %s", reason, kind)
		}
		if len(message) > 32768 {
			w.fail("the API server refuses a message of %d bytes in %s", len(message), kind)
		}
		last := before[kind]
		if last != nil && last["status"] == condition["status"] && last["lastTransitionTime"] != condition["lastTransitionTime"] {
			w.fail("the lastTransitionTime of %s changes from %v to %v without its status", kind, last["lastTransitionTime"], condition["lastTransitionTime"])
		}
	}
	isReady, isDegraded := after["Ready"]["status"] == "True", after["Degraded"]["status"] == "True"
	if isReady && isDegraded {
		w.fail("Ready and Degraded are both True: %v", after)
	}
	if w.valid != nil && (isReady || !isDegraded || after["Degraded"]["reason"] != "InvalidSpec") {
		w.fail("an invalid spec is not reported: %v", after)
	}
	if isReady {
		w.checkHealthy(sent, got)
	}
}

// checkHealthy allows Ready only where the view shows nothing that is missing, outdated or broken.
func (w *walk) checkHealthy(sent view, got answer) {
	for _, child := range got.Children {
		observed := sent.children[child.GetKind()]
		if observed == nil {
			w.fail("Ready is True without a %s", child.GetKind())
		}
		applied := observed.GetAnnotations()[lastApplied]
		if want := merged(observed, child, sent.parent).GetAnnotations()[lastApplied]; applied != want {
			w.fail("Ready is True although %s was last applied as\n%s\nand not as\n%s", child.GetKind(), applied, want)
		}
		if kind := child.GetKind(); kind == "Deployment" || kind == "StatefulSet" {
			w.checkWorkload(observed, number(sent.parent, "spec", "size"))
		}
	}
	running := int64(0)
	for _, pod := range sent.pods {
		if pod.DeletionTimestamp == nil && !ready(pod) && isBroken(pod) {
			w.fail("Ready is True although pod %s is broken", pod.Name)
		}
		if pod.DeletionTimestamp == nil && ready(pod) {
			running++
		}
	}
	if size := number(sent.parent, "spec", "size"); running < size && w.steady {
		w.fail("Ready is True with %d ready pods of size %d", running, size)
	}
}

func (w *walk) checkWorkload(workload *unstructured.Unstructured, size int64) {
	for _, path := range [][]string{{"spec", "replicas"}, {"status", "replicas"}, {"status", "updatedReplicas"}, {"status", "readyReplicas"}, {"status", "availableReplicas"}} {
		if got := number(workload, path...); got != size {
			w.fail("Ready is True although %v of the workload is %d, not %d", path, got, size)
		}
	}
	if number(workload, "status", "observedGeneration") != workload.GetGeneration() {
		w.fail("Ready is True although the status of the workload is of an earlier generation")
	}
}

func isBroken(pod *corev1.Pod) bool {
	for _, container := range pod.Status.ContainerStatuses {
		if container.State.Waiting != nil && container.State.Waiting.Reason != "ContainerCreating" {
			return true
		}
	}
	return false
}

// replicas returns the replicas of the workload by its UID.
func (w *walk) replicas() map[string]int64 {
	if workload := w.workload(); workload != nil {
		return map[string]int64{string(workload.GetUID()): number(workload, "spec", "replicas")}
	}
	return nil
}

// appliedChildren returns what Metacontroller has applied last, by the kind of child.
func (w *walk) appliedChildren() map[string]string {
	applied := map[string]string{}
	for kind, child := range w.children {
		applied[kind] = child.GetAnnotations()[lastApplied]
	}
	return applied
}

// checkApplied compares the cluster before and after a response was applied.
func (w *walk) checkApplied(replicas map[string]int64, children map[string]string) {
	if w.valid != nil {
		for kind, applied := range children {
			if child := w.children[kind]; child == nil || child.GetAnnotations()[lastApplied] != applied {
				w.fail("an invalid spec changes or deletes %s", kind)
			}
		}
	}
	for uid, after := range w.replicas() {
		if before, existed := replicas[uid]; existed && before != after {
			w.checkStep(before, after)
			w.stepped = w.now.Add(w.skew)
		}
	}
}

// checkStep allows steps of at most maxStep, and one in each interval. From none and to none there is no cache to lose.
func (w *walk) checkStep(before, after int64) {
	maxStep := number(w.parent, "spec", "scaling", "maxStep")
	if !w.steady || maxStep == 0 || before == 0 || after == 0 {
		return
	}
	if max(after-before, before-after) > maxStep {
		w.fail("the workload steps from %d to %d replicas with maxStep %d", before, after, maxStep)
	}
	interval := number(w.parent, "spec", "scaling", "stepIntervalSeconds")
	if interval == 0 {
		interval = 60
	}
	if since := w.now.Add(w.skew).Sub(w.stepped); since < time.Duration(interval)*time.Second {
		w.fail("the workload steps from %d to %d replicas %s after the last step, with an interval of %d s", before, after, since, interval)
	}
}

func conditionsOf(status any) map[string]map[string]any {
	found := map[string]map[string]any{}
	object, _ := status.(map[string]any)
	conditions, _ := object["conditions"].([]any)
	for _, each := range conditions {
		condition := each.(map[string]any)
		found[condition["type"].(string)] = condition
	}
	return found
}
