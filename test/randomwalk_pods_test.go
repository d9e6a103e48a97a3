package test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// podFaults are what may prevent a pod from running. The last one has words that no API server accepts in a condition.
var podFaults = []string{"unschedulable", "image", "crash", "volume", "runtime"}

func (c *cluster) createPod(workload *unstructured.Unstructured, name string) {
	template, _, _ := unstructured.NestedMap(workload.Object, "spec", "template")
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(template, pod); err != nil {
		panic(err)
	}
	id := c.next()
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	pod.Name, pod.Namespace, pod.UID = name, workload.GetNamespace(), types.UID(fmt.Sprintf("pod-%d", id))
	pod.CreationTimestamp = metav1.NewTime(c.now)
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(workload, workload.GroupVersionKind())}
	pod.Labels["pod-template-hash"] = templateHash(workload)
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, PodIP: fmt.Sprintf("10.0.%d.%d", id>>8&0xff, id&0xff)}
	c.pods = append(c.pods, pod)
}

func (c *cluster) deletePod(pod *corev1.Pod) {
	if pod.DeletionTimestamp == nil {
		pod.DeletionTimestamp = new(metav1.NewTime(c.now))
	}
}

// runPod brings a pod one stage further: a node, volumes, containers that run.
func (c *cluster) runPod(pod *corev1.Pod) {
	fault := c.faults[pod.Name]
	switch {
	case fault == "unschedulable" && pod.Status.StartTime == nil:
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available"}}
	case pod.Status.StartTime == nil:
		pod.Status.StartTime = new(metav1.NewTime(c.now))
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse}, {Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"}}
		c.setContainers(pod, waiting("ContainerCreating", ""))
	case fault == "volume" && pod.Status.Phase == corev1.PodPending:
		// It stays as it is.
	case fault == "image" && pod.Status.Phase == corev1.PodPending:
		c.setContainers(pod, waiting("ImagePullBackOff", "Back-off pulling image: ErrImagePull: not found"))
	case fault == "runtime":
		c.setContainers(pod, waiting("container runtime is down", strings.Repeat("no answer; ", 3000)))
	case fault == "crash":
		c.setContainers(pod, waiting("CrashLoopBackOff", "back-off 10s restarting failed container"))
		for i := range pod.Status.ContainerStatuses {
			pod.Status.ContainerStatuses[i].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 64, Reason: "Error", FinishedAt: metav1.NewTime(c.now)}
		}
	case !ready(pod):
		pod.Status.Phase = corev1.PodRunning
		c.setContainers(pod, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(c.now)}})
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(c.now)}}
	}
}

// setContainers gives all containers of a pod one state. They are ready if they run.
func (c *cluster) setContainers(pod *corev1.Pod, state corev1.ContainerState) {
	before := pod.Status.ContainerStatuses
	pod.Status.ContainerStatuses = nil
	for i, container := range pod.Spec.Containers {
		status := corev1.ContainerStatus{Name: container.Name, Image: container.Image, State: state, Ready: state.Running != nil}
		if before != nil {
			status.LastTerminationState, status.RestartCount = before[i].LastTerminationState, before[i].RestartCount
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	if state.Running == nil {
		pod.Status.Conditions = slices.DeleteFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool { return condition.Type == corev1.PodReady })
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady", LastTransitionTime: metav1.NewTime(c.now)})
	}
}

// killForMemory restarts memcached in a pod that uses more memory than its limit. The pod is ready again in a second.
func (c *cluster) killForMemory(pod *corev1.Pod) {
	if !ready(pod) {
		return
	}
	status := &pod.Status.ContainerStatuses[0]
	status.RestartCount++
	status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(c.now)}
	status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled", FinishedAt: metav1.NewTime(c.now)}
}

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func readyCondition(pod *corev1.Pod) *corev1.PodCondition {
	for i, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

func ready(pod *corev1.Pod) bool { return readyCondition(pod) != nil }

func (c *cluster) available(pod *corev1.Pod, minReadySeconds int64) bool {
	condition := readyCondition(pod)
	return condition != nil && c.now.Sub(condition.LastTransitionTime.Time) >= time.Duration(minReadySeconds)*time.Second
}
