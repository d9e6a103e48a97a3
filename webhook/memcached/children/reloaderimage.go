package children

import (
	"slices"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

// ReloaderImage returns the image of the reloader; "" for pods without one. It is the configured image, except that pods
// with another image keep it until something else replaces them, because an upgrade of the operator must not empty a cache.
func ReloaderImage(configured string, memcached *v1alpha1.Memcached, p Plan, existing *observed.Workload, pods []*observed.Pod) (string, error) {
	if !memcached.Spec.NeedsReloader() {
		return "", nil
	}
	if existing == nil {
		return configured, nil
	}
	current := existing.Image(ReloaderName)
	if current == configured || current == "" || current != existing.Annotations[reloaderAnnotation] || slices.ContainsFunc(pods, reloaderFails) {
		return configured, nil
	}
	p.ReloaderImage = current
	difference, err := merge.TemplateDifference(workload(memcached, p), existing)
	if err != nil || difference != "" {
		return configured, err
	}
	return current, nil
}

// reloaderFails reports whether the reloader of a pod cannot run. A reloader that exits to report a Secret can run.
func reloaderFails(pod *observed.Pod) bool {
	for _, container := range pod.Status.ContainerStatuses {
		waiting := container.State.Waiting
		if container.Name != ReloaderName || waiting == nil {
			continue
		}
		switch waiting.Reason {
		case "", "ContainerCreating", "PodInitializing":
			return false
		case conditions.CrashLoopBackOff:
			end := container.LastState.Terminated
			return end == nil || end.ExitCode != 0 && (end.ExitCode != 1 || end.Message == "")
		}
		return true
	}
	return false
}
