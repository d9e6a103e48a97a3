package golden

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// cluster is a small model of a cluster: an API server, a workload controller and kubelets.
type cluster struct {
	random   *rand.Rand
	now      time.Time
	children map[string]*child // by kind, because all children have the same name
	workload string            // the kind of the workload
	refused  string            // the kind that the API server neither creates nor updates
	pods     []*corev1.Pod
	faults   map[string]string // why the container of a pod cannot run, by the name of the pod
}

// child is a stored or desired child. It is replaced and never modified, because a request can refer to it.
type child = unstructured.Unstructured

// applied returns a stored child after Metacontroller has applied the desired child. It returns the same stored child if
// nothing changes. An annotation has the applied child. Fields need no merge, because all of them come from the hook.
func applied(stored, desired *child) *child {
	text, _ := json.Marshal(desired)
	result := cmp.Or(stored, desired).DeepCopy()
	result.Object["spec"] = desired.DeepCopy().Object["spec"]
	result.SetLabels(desired.GetLabels())
	result.SetAnnotations(desired.GetAnnotations())
	_ = unstructured.SetNestedField(result.Object, string(text), "metadata", "annotations", lastApplied)
	if reflect.DeepEqual(result, stored) {
		return stored
	}
	result.SetGeneration(result.GetGeneration() + 1)
	return result
}

// tick lets time pass. Kubelets and the workload controller are sometimes late.
func (c *cluster) tick(passed time.Duration) {
	c.now = c.now.Add(passed)
	for _, pod := range c.pods {
		if c.random.IntN(3) > 0 {
			setState(pod, c.faults[pod.Name])
		}
	}
	if workload := c.children[c.workload]; workload == nil {
		c.pods = nil
	} else if c.random.IntN(3) > 0 {
		c.control(workload.DeepCopy())
	}
}

// control is the controller of Deployments and StatefulSets. It reports the pods in status. Then it deletes an outdated pod
// and surplus pods, and creates missing pods.
func (c *cluster) control(workload *child) {
	template, _, _ := unstructured.NestedMap(workload.Object, "spec", "template")
	current := fmt.Sprint(template)
	outdated := func(pod *corev1.Pod) bool { return pod.Annotations["template"] != current }
	workload.Object["status"] = map[string]any{"observedGeneration": workload.GetGeneration(), "replicas": int64(len(c.pods)),
		"updatedReplicas": int64(len(c.pods)) - count(c.pods, outdated), "readyReplicas": count(c.pods, ready), "availableReplicas": count(c.pods, ready)}
	c.children[c.workload] = workload

	replicas := int(number(workload, "spec", "replicas"))
	if i := slices.IndexFunc(c.pods, outdated); i >= 0 {
		c.pods = slices.Delete(c.pods, i, i+1)
	}
	if c.workload == "StatefulSet.apps/v1" {
		c.pods = c.ordered(replicas, template)
		return
	}
	c.pods = c.pods[:min(len(c.pods), replicas)]
	for len(c.pods) < replicas {
		c.pods = append(c.pods, c.newPod(template))
	}
}

// ordered returns the pods of a StatefulSet, which are named after their ordinals from 0 to replicas-1. It keeps existing pods.
func (c *cluster) ordered(replicas int, template map[string]any) []*corev1.Pod {
	pods := make([]*corev1.Pod, replicas)
	for ordinal := range pods {
		pods[ordinal] = c.newPod(template)
		pods[ordinal].Name = fmt.Sprint("cache-", ordinal)
		if i := slices.IndexFunc(c.pods, func(pod *corev1.Pod) bool { return pod.Name == pods[ordinal].Name }); i >= 0 {
			pods[ordinal] = c.pods[i]
		}
	}
	return pods
}

func (c *cluster) newPod(template map[string]any) *corev1.Pod {
	pod := &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "memcached"}}}}
	pod.Name, pod.Namespace, pod.CreationTimestamp = fmt.Sprint("cache-", c.random.Uint32()), "web", metav1.NewTime(c.now)
	pod.Labels, _, _ = unstructured.NestedStringMap(template, "metadata", "labels")
	pod.Annotations = map[string]string{"template": fmt.Sprint(template)}
	setState(pod, "ContainerCreating")
	return pod
}

// setState makes the container of a pod wait with a reason, or run without one.
func setState(pod *corev1.Pod, waiting string) {
	container := &pod.Status.ContainerStatuses[0]
	container.Ready, container.State = true, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: pod.CreationTimestamp}}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if waiting != "" {
		container.Ready, container.State = false, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: waiting, Message: strings.Repeat("long ", 300)}}
		pod.Status.Conditions[0].Status = corev1.ConditionFalse
	}
}

func ready(pod *corev1.Pod) bool { return pod.Status.ContainerStatuses[0].Ready }

func count(pods []*corev1.Pod, is func(*corev1.Pod) bool) int64 {
	return int64(len(pods) - len(slices.DeleteFunc(slices.Clone(pods), is)))
}

func number(object *child, path ...string) int64 {
	value, _, _ := unstructured.NestedInt64(object.Object, path...)
	return value
}
