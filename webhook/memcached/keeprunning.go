package memcached

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/text"
)

/*
Pod templates have defaults that differ between releases of the operator: images, and the library of the proxies.

An upgrade of the operator must not empty a cache, and two releases that run side by side must not replace pods in turns. So pods keep
the defaults that they run until something else changes their template. What spec sets is not a default. Annotations of the workload
record which defaults were applied. Pods may have others: an admission webhook may change the registry of each image.
*/

// defaultsToRun returns the defaults for the pods of a workload: those that were applied last if nothing else in their template changes,
// otherwise the configured ones. defaults returns those that were applied to a workload; the configured ones if it is nil.
func defaultsToRun[D comparable](
	workload *observed.Workload, pods []*observed.Pod, main string, defaults func(applied *observed.Workload) D, template func(D) corev1.PodTemplateSpec,
) (D, error) {
	configured, running := defaults(nil), defaults(workload)
	if running == configured || mustReplace(workload, pods, main) {
		return configured, nil
	}
	if isApplied, err := merge.TemplateApplied(new(template(running)), workload); err != nil || !isApplied {
		return configured, err
	}
	return running, nil
}

// maxImage is the length of an image in bytes, as in spec.
const maxImage = 1024

// imageOf returns the default image of a container that was applied to a workload, or "" if the operator had none; the configured one if
// there is no workload, if spec set the image or did not need the container, or if somebody has written a text that is no image.
func imageOf(applied *observed.Workload, container, configured string) string {
	if applied == nil {
		return configured
	}
	if image, isRecorded := applied.Annotations[children.ImageAnnotation(container)]; isRecorded && text.Printable(image, maxImage) == image {
		return image
	}
	return configured
}

// mustReplace reports whether an image of the operator cannot start, and other defaults cost no items, because a rollout replaces the pods
// anyway, or the main container runs in no pod.
func mustReplace(workload *observed.Workload, pods []*observed.Pod, main string) bool {
	inRollout := workload.Status.UpdatedReplicas < workload.Status.Replicas
	anyRuns := slices.ContainsFunc(pods, func(pod *observed.Pod) bool { return pod.ContainerRunning(main) })
	return (inRollout || !anyRuns) && anyImageFails(workload, pods)
}

// anyImageFails reports whether a container of the pod template cannot start in a pod. A sidecar of others is not in the template.
func anyImageFails(workload *observed.Workload, pods []*observed.Pod) bool {
	inTemplate := map[string]bool{}
	for _, container := range slices.Concat(workload.Spec.Template.Spec.InitContainers, workload.Spec.Template.Spec.Containers) {
		inTemplate[container.Name] = true
	}
	fails := func(container observed.ContainerStatus) bool {
		return inTemplate[container.Name] && cannotStart(&container)
	}
	return slices.ContainsFunc(pods, func(pod *observed.Pod) bool {
		return slices.ContainsFunc(pod.Status.InitContainerStatuses, fails) || slices.ContainsFunc(pod.Status.ContainerStatuses, fails)
	})
}

// cannotStart reports whether the kubelet cannot pull the image of a container or cannot start its program. A program that crashes
// was started: another image need not help, and the other containers of the pod may serve.
func cannotStart(container *observed.ContainerStatus) bool {
	if waiting := container.State.Waiting; waiting != nil && waiting.Reason == conditions.CrashLoopBackOff {
		end := container.LastState.Terminated
		return end != nil && end.Reason == "StartError"
	}
	return container.State.Waiting.Fails()
}
