package conditions

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/observed"
)

/*
The kernel killed a container because it used more memory than its limit.

This check looks at the last termination of a container. It is a problem while the container does not run or is not ready. Afterwards it
is a risk for ten minutes: the restart takes about a second, and its only other trace is an empty cache.

The limit is that of the pod. It may be another one than the operator wants, because an autoscaler resizes pods, or a policy changes workloads.
*/

// oomKilled is the kubelet's reason for a container that was killed because of its memory.
const oomKilled = "OOMKilled"

// ReasonOOMKilled is for a container that was killed because of its memory.
var ReasonOOMKilled = NewReason(SeverityProblem, Documentation{ID: oomKilled, Uses: usesOf[SeverityRisk],
	Meaning: "A container exceeded its memory limit and was killed, and its items are lost. `Degraded` is True while the container does not run. Then `AtRisk` is True for ten minutes, because it may happen again.",
	Remedy:  "Increase the field that the message names. If a VerticalPodAutoscaler resizes the pods, exclude them from it: [Memory](configure.md#memory)."})

func outOfMemory(in *Input, container *observed.ContainerStatus, _ *observed.ContainerTerminated) *Problem {
	name, limit, desired := container.Name, container.Resources.Limits.Memory, desiredLimit(in.Children, container.Name)
	killed := "container " + name + " was killed because it exceeded its memory limit"
	if limit == "" || desired == "" || limit == desired {
		return ReasonOOMKilled.Problem("%s", joinSentences(killed, in.Remedies[name].OOMKilled))
	}
	owner, remedy := otherLimit(in, name, limit)
	return ReasonOOMKilled.Problem("%s", joinSentences(fmt.Sprintf("%s of %s, but %s %s", killed, limit, owner, desired), remedy))
}

// otherLimit returns what has the desired limit if a container has another one, and what to do.
func otherLimit(in *Input, container, limit string) (owner, remedy string) {
	if !in.Rollout.AllUpdated() {
		return "the desired limit is", "" // the pod may have an earlier template
	}
	workload := in.Children[0].GetObjectKind().GroupVersionKind().Kind + " " + in.Workload.Name
	if in.Workload.Container(container).Resources.Limits.Memory != limit {
		return workload + " sets", "a VerticalPodAutoscaler or another client has resized the pod, so exclude the pods from resizing, then delete this pod"
	}
	return "the desired limit is", fmt.Sprintf("an admission webhook or another client has changed %s, so exclude it from the policy that changes it, or decrease the memory for items", workload)
}

// desiredLimit returns the memory limit of a container in the desired workload, the first of the children; "" if there is none.
func desiredLimit(children []runtime.Object, container string) string {
	if len(children) == 0 {
		return ""
	}
	var pod *corev1.PodSpec
	switch workload := children[0].(type) {
	case *appsv1.Deployment:
		pod = &workload.Spec.Template.Spec
	case *appsv1.StatefulSet:
		pod = &workload.Spec.Template.Spec
	default:
		return ""
	}
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			if limit, found := containers[i].Resources.Limits[corev1.ResourceMemory]; found && containers[i].Name == container {
				return limit.String()
			}
		}
	}
	return ""
}

// recentlyKilled returns the risk of the first container that was killed for its memory within recentPeriod and is ready again.
func recentlyKilled(c checked) Finding {
	var killed Finding
	for _, pod := range c.Pods {
		for _, containers := range [][]observed.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
			for i := range containers {
				left := killedBefore(c, &containers[i])
				if left > 0 && killed.Risk == nil {
					killed.Risk = ReasonOOMKilled.Risk("%s", podMessage(pod, outOfMemory(c.Input, &containers[i], nil).Message))
				}
				killed.Wait = Soonest(killed.Wait, left)
			}
		}
	}
	return killed
}

// killedBefore returns for how much longer it matters that a container, which is ready again, was killed; 0 if it does not.
func killedBefore(c checked, container *observed.ContainerStatus) time.Duration {
	end := container.LastState.Terminated
	if end == nil || end.Reason != oomKilled || !container.Ready {
		return 0
	}
	return recent(end.FinishedAt.Time, c.Now)
}
