package observed

import (
	"iter"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Pod is an observed pod.
type Pod struct {
	Meta   `json:"metadata"`
	Spec   PodSpec   `json:"spec"`
	Status PodStatus `json:"status"`
}

// PodSpec is the part of a pod's spec that rules read.
type PodSpec struct {
	NodeName string `json:"nodeName"`
}

// Ready reports whether the pod is ready.
func (p *Pod) Ready() bool {
	return slices.ContainsFunc(p.Status.Conditions, func(condition PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
	})
}

// DisruptionReason returns why Kubernetes deletes the pod, such as EvictionByEvictionAPI; "" if nobody says so.
func (p *Pod) DisruptionReason() string {
	for _, condition := range p.Status.Conditions {
		if condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue {
			return condition.Reason
		}
	}
	return ""
}

// ContainerReady reports whether the container of that name is ready.
func (p *Pod) ContainerReady(name string) bool {
	return slices.ContainsFunc(p.Status.ContainerStatuses, func(container ContainerStatus) bool {
		return container.Name == name && container.Ready
	})
}

// ContainerRunning reports whether the container of that name runs.
func (p *Pod) ContainerRunning(name string) bool {
	return !p.startOf(name).IsZero()
}

// Terminated returns the end of the container of that name; nil if it has not ended.
func (p *Pod) Terminated(name string) *ContainerTerminated {
	for i := range p.Status.ContainerStatuses {
		if p.Status.ContainerStatuses[i].Name == name {
			return p.Status.ContainerStatuses[i].State.Terminated
		}
	}
	return nil
}

// RunningBeside returns the name of a container that runs and has not that name; "" if there is none. It is no init container.
func (p *Pod) RunningBeside(name string) string {
	for _, container := range p.Status.ContainerStatuses {
		if container.Name != name && !container.State.Running.StartedAt.IsZero() {
			return container.Name
		}
	}
	return ""
}

// SidecarRunning reports whether the init container of that name runs. It is one that restarts, because others have ended when the pod
// runs.
func (p *Pod) SidecarRunning(name string) bool {
	return slices.ContainsFunc(p.Status.InitContainerStatuses, func(container ContainerStatus) bool {
		return container.Name == name && !container.State.Running.StartedAt.IsZero()
	})
}

// Serves reports whether the container of that name serves: the pod is ready, or only its other containers are not. When a
// node is lost, its containers keep their status, but the pod is unready for another reason.
func (p *Pod) Serves(name string) bool {
	return p.Ready() || p.ContainerReady(name) && slices.ContainsFunc(p.Status.Conditions, func(condition PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Reason == "ContainersNotReady"
	})
}

// IsLost reports whether the pod was ready until its node was lost. Its containers have the status from before, and may run on. The node
// lifecycle controller changes only the status of the condition Ready. A kubelet always gives a reason for a pod that is not ready.
//
// https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/controller/util/node/controller_utils.go#L121
func (p *Pod) IsLost() bool {
	return slices.ContainsFunc(p.Status.Conditions, func(condition PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionFalse && condition.Reason == ""
	})
}

// RunsSinceReady reports whether the container of that name runs and has not restarted since the pod was ready last: the pod is ready,
// its other containers are not, or it became unready after the container had started.
func (p *Pod) RunsSinceReady(name string) bool {
	if p.Ready() || p.ContainerReady(name) {
		return true
	}
	return slices.ContainsFunc(p.Status.Conditions, func(condition PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.LastTransitionTime.After(p.startOf(name)) && p.ContainerRunning(name)
	})
}

// ReadyChanged returns when the pod became ready, or ceased to be, last; the zero value if that is not known.
func (p *Pod) ReadyChanged() time.Time {
	for _, condition := range p.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.LastTransitionTime
		}
	}
	return time.Time{}
}

// startOf returns when the container of that name started; the zero value if it does not run.
func (p *Pod) startOf(name string) time.Time {
	for i := range p.Status.ContainerStatuses {
		if p.Status.ContainerStatuses[i].Name == name {
			return p.Status.ContainerStatuses[i].State.Running.StartedAt
		}
	}
	return time.Time{}
}

// LivePods returns the live pods of that namespace that have all of these labels, in the order of the given pods. The
// related rule selects the same pods, but its scope depends on the version of Metacontroller.
func LivePods(pods iter.Seq[*Pod], namespace string, labels map[string]string) []*Pod {
	var live []*Pod
	for pod := range pods {
		if !pod.Terminating() && pod.Selected(namespace, labels) {
			live = append(live, pod)
		}
	}
	return live
}

// Selected reports whether a pod of that namespace has all of these labels and may run, also while it is being deleted.
func (p *Pod) Selected(namespace string, labels map[string]string) bool {
	finished := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	return p.Namespace == namespace && !finished && containsAll(p.Labels, labels)
}

func containsAll(have, want map[string]string) bool {
	for key, value := range want {
		if got, found := have[key]; !found || got != value {
			return false
		}
	}
	return true
}

// PodNames returns the sorted names of the pods. It never returns nil: the API server prunes a null, so the status would
// differ at every sync.
func PodNames(pods []*Pod) []string {
	names := make([]string, 0, len(pods))
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	slices.Sort(names)
	return names
}
