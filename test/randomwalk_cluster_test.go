package test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// cluster is a model of what surrounds the hook: an API server, the workload controllers and the kubelets. Children are
// stored by their kind, because each has the name of its parent.
type cluster struct {
	random   *rand.Rand
	now      time.Time
	parent   *unstructured.Unstructured
	children map[string]*unstructured.Unstructured
	pods     []*corev1.Pod // in the order of their creation
	// faults are what prevents a pod from running, by its name.
	faults map[string]string
	// refused is the kind of child that the API server neither creates nor updates.
	refused string
	counter int64
}

func (c *cluster) next() int64 { c.counter++; return c.counter }

// apply stores a child as Metacontroller does with dynamic apply: it merges the child into the one that it observed, and
// the API server refuses an update that is based on an old version.
func (c *cluster) apply(observed, desired *unstructured.Unstructured) {
	stored := c.children[desired.GetKind()]
	if desired.GetKind() == c.refused || observed == nil && stored != nil || observed != nil && stored == nil {
		return
	}
	merged := merged(observed, desired, c.parent)
	if observed == nil {
		merged.SetUID(types.UID(fmt.Sprintf("uid-%d", c.next())))
		merged.SetCreationTimestamp(metav1.NewTime(c.now))
		merged.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(c.parent, c.parent.GroupVersionKind())})
		c.store(merged)
		return
	}
	if !reflect.DeepEqual(merged.Object, observed.Object) && observed.GetResourceVersion() == stored.GetResourceVersion() {
		c.store(merged)
	}
}

// store keeps an object under a new version, and under a new generation if its spec has changed.
func (c *cluster) store(object *unstructured.Unstructured) {
	before := c.children[object.GetKind()]
	if before == nil || !reflect.DeepEqual(before.Object["spec"], object.Object["spec"]) {
		object.SetGeneration(object.GetGeneration() + 1)
	}
	object.SetResourceVersion(strconv.FormatInt(c.next(), 10))
	c.children[object.GetKind()] = object
}

// merged returns the observed child with the fields that are desired, and without those that were desired before.
func merged(observed, desired, parent *unstructured.Unstructured) *unstructured.Unstructured {
	desired = desired.DeepCopy()
	delete(desired.Object, "status")
	desired.SetLabels(with(desired.GetLabels(), "controller-uid", string(parent.GetUID())))
	annotation, _ := json.Marshal(desired)
	result, last := map[string]any{}, map[string]any{}
	if observed != nil {
		result = observed.DeepCopy().Object
		_ = json.Unmarshal([]byte(observed.GetAnnotations()[lastApplied]), &last)
	}
	mergeInto(result, last, desired.Object)
	after := &unstructured.Unstructured{Object: result}
	after.SetAnnotations(with(after.GetAnnotations(), lastApplied, string(annotation)))
	return after
}

// mergeInto replaces lists as a whole: the model's API server has no defaults within a list.
func mergeInto(observed, last, desired map[string]any) {
	for key := range last {
		if _, found := desired[key]; !found {
			delete(observed, key)
		}
	}
	for key, value := range desired {
		object, isObject := value.(map[string]any)
		if !isObject {
			observed[key] = value
			continue
		}
		inner, _ := observed[key].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
		}
		before, _ := last[key].(map[string]any)
		mergeInto(inner, before, object)
		observed[key] = inner
	}
}

func with(values map[string]string, key, value string) map[string]string {
	values = maps.Clone(values)
	if values == nil {
		values = map[string]string{}
	}
	values[key] = value
	return values
}

func (c *cluster) workload() *unstructured.Unstructured {
	if deployment := c.children["Deployment"]; deployment != nil {
		return deployment
	}
	return c.children["StatefulSet"]
}

// tick lets time pass. Each controller does one thing: the garbage collector, the workload's controller, the kubelets.
func (c *cluster) tick(passed time.Duration) {
	c.now = c.now.Add(passed)
	workload := c.workload()
	c.pods = slices.DeleteFunc(c.pods, func(pod *corev1.Pod) bool {
		return pod.DeletionTimestamp != nil || workload == nil || pod.OwnerReferences[0].UID != workload.GetUID()
	})
	if workload == nil {
		return
	}
	for _, pod := range c.pods {
		if c.random.IntN(3) > 0 {
			c.runPod(pod)
		}
	}
	if c.random.IntN(3) == 0 {
		return // the controller of the workload is late
	}
	replicas, minReady, hash := int(number(workload, "spec", "replicas")), number(workload, "spec", "minReadySeconds"), templateHash(workload)
	available := func(pod *corev1.Pod) bool { return c.available(pod, minReady) }
	outdated := func(pod *corev1.Pod) bool { return pod.Labels["pod-template-hash"] != hash }
	if workload.GetKind() == "StatefulSet" {
		c.rollStatefulSet(workload, replicas, outdated, available)
	} else {
		c.rollDeployment(workload, replicas, outdated, available)
	}
	c.setWorkloadStatus(workload, outdated, available)
}

// rollDeployment has at most one pod more than the replicas during a rollout, and does not delete an available pod that the
// replicas still need.
func (c *cluster) rollDeployment(workload *unstructured.Unstructured, replicas int, outdated, available func(*corev1.Pod) bool) {
	live := c.live()
	old := count(live, outdated)
	for total := len(live); total-old < replicas && total < replicas+min(old, 1); total++ {
		c.createPod(workload, fmt.Sprintf("%s-%s-%05d", workload.GetName(), templateHash(workload)[:8], c.next()))
	}
	slices.SortStableFunc(live, func(a, b *corev1.Pod) int { return rank(b, outdated, available) - rank(a, outdated, available) })
	for _, pod := range live {
		current := c.live()
		switch {
		case outdated(pod) && (!available(pod) || count(current, available) > replicas):
			c.deletePod(pod)
		case !outdated(pod) && len(current)-count(current, outdated) > replicas:
			c.deletePod(pod)
		}
	}
}

// rank orders the pods that a Deployment deletes: outdated ones, then those that are not available, then the others.
func rank(pod *corev1.Pod, outdated, available func(*corev1.Pod) bool) int {
	rank := 0
	if outdated(pod) {
		rank += 2
	}
	if !available(pod) {
		rank++
	}
	return rank
}

// rollStatefulSet creates all missing pods, and replaces an outdated one when all others are available or it is not.
func (c *cluster) rollStatefulSet(workload *unstructured.Unstructured, replicas int, outdated, available func(*corev1.Pod) bool) {
	names := map[string]*corev1.Pod{}
	for _, pod := range c.pods {
		names[pod.Name] = pod
	}
	for i := range replicas {
		name := fmt.Sprintf("%s-%d", workload.GetName(), i)
		if names[name] == nil {
			c.createPod(workload, name)
		}
		delete(names, name)
	}
	for _, pod := range names {
		c.deletePod(pod)
	}
	for _, pod := range slices.Backward(c.live()) {
		if outdated(pod) && (!available(pod) || count(c.live(), available) >= replicas) {
			c.deletePod(pod)
			return
		}
	}
}

func (c *cluster) setWorkloadStatus(workload *unstructured.Unstructured, outdated, available func(*corev1.Pod) bool) {
	live := c.live()
	updated := workload.DeepCopy()
	updated.Object["status"] = map[string]any{
		"observedGeneration": workload.GetGeneration(),
		"replicas":           int64(len(live)),
		"updatedReplicas":    int64(len(live) - count(live, outdated)),
		"readyReplicas":      int64(count(live, ready)),
		"availableReplicas":  int64(count(live, available)),
	}
	if !reflect.DeepEqual(updated.Object["status"], workload.Object["status"]) {
		c.store(updated)
	}
}

func (c *cluster) live() []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(c.pods), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

func count(pods []*corev1.Pod, is func(*corev1.Pod) bool) (n int) {
	for _, pod := range pods {
		if is(pod) {
			n++
		}
	}
	return n
}

func number(object *unstructured.Unstructured, path ...string) int64 {
	value, _, _ := unstructured.NestedInt64(object.Object, path...)
	return value
}

func templateHash(workload *unstructured.Unstructured) string {
	template, _, _ := unstructured.NestedMap(workload.Object, "spec", "template")
	content, _ := json.Marshal(template)
	return fmt.Sprintf("%x", sha256.Sum256(content))
}
