package memcached

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
Defaults that differ between releases of the operator: images, and the library of the proxies.

An upgrade of the operator must not empty a cache, and two releases that run side by side must not replace pods in turns. So pods keep
the defaults that they run until something else changes their template. What spec sets is not a default. Annotations of the workload
record which defaults were applied.
*/

// keepRunning returns the defaults for a workload, given the configured and the running ones. main is the container with the items or the routes, and build returns the desired workload.
func keepRunning[T comparable](configured, running T, workload *observed.Workload, pods []*observed.Pod, main string, build func(T) runtime.Object) (T, error) {
	if running == configured || cannotRun(workload, pods, main) {
		return configured, nil
	}
	difference, err := merge.TemplateDifference(build(running), workload)
	if err != nil || difference != "" {
		return configured, err
	}
	return running, nil
}

// images returns the default images of the servers of a set.
func (c Config) images(memcached *v1alpha1.Memcached, p children.Plan, workload *observed.Workload, pods []*observed.Pod) (children.Images, error) {
	configured := children.Images{
		Memcached: cmp.Or(c.Image, children.DefaultImage),
		Exporter:  cmp.Or(c.ExporterImage, children.DefaultExporterImage),
	}
	if memcached.Spec.NeedsReloader() {
		configured.Reloader = c.ReloaderImage
	}
	if workload == nil {
		return configured, nil
	}
	running := children.Images{
		Memcached: appliedImage(workload, children.ContainerName, configured.Memcached),
		Exporter:  appliedImage(workload, children.ExporterName, configured.Exporter),
	}
	if memcached.Spec.NeedsReloader() && !withoutReloader(workload) {
		running.Reloader = appliedImage(workload, children.ReloaderName, configured.Reloader)
	}
	return keepRunning(configured, running, workload, pods, children.ContainerName, func(images children.Images) runtime.Object {
		p.Images = images
		return children.Workload(memcached, p)
	})
}

// proxyDefaults returns the defaults of the proxies.
func (c Config) proxyDefaults(request *syncRequest, p children.Plan) (children.ProxyDefaults, error) {
	memcached, workload := request.Parent, proxyWorkload(request)
	configured := children.ProxyDefaults{Image: cmp.Or(c.Image, children.DefaultImage), Library: cmp.Or(c.ProxyLibrary, proxy.Library)}
	if memcached.Spec.Proxy == nil || workload == nil {
		return configured, nil
	}
	running := children.ProxyDefaults{
		Image:   appliedImage(workload, proxy.ContainerName, configured.Image),
		Library: proxy.AppliedLibrary(workload, configured.Library),
	}
	pods := observed.LivePods(request.Related.Pods.All(), memcached.Namespace, children.ProxySelector(memcached))
	return keepRunning(configured, running, workload, pods, proxy.ContainerName, func(defaults children.ProxyDefaults) runtime.Object {
		p.ProxyDefaults = defaults
		return proxy.Deployment(memcached, p)
	})
}

// withoutReloader reports whether the operator ran without the image of the reloader when it applied a workload.
func withoutReloader(workload *observed.Workload) bool {
	_, applied := workload.Annotations[children.ImageAnnotation(children.ReloaderName)]
	return !applied && workload.Image(children.ReloaderName) == ""
}

// appliedImage returns the image of a container, if it is a default as the operator applied it; otherwise the configured image.
func appliedImage(workload *observed.Workload, container, configured string) string {
	image := workload.Image(container)
	if image == "" || image != workload.Annotations[children.ImageAnnotation(container)] {
		return configured
	}
	return image
}

// cannotRun reports whether an image of the operator cannot run, and other defaults cost no items: a rollout replaces the pods anyway,
// or the main container runs in no pod.
func cannotRun(workload *observed.Workload, pods []*observed.Pod, main string) bool {
	runs := slices.ContainsFunc(pods, func(pod *observed.Pod) bool { return pod.ContainerRunning(main) })
	if runs && workload.Status.UpdatedReplicas >= workload.Status.Replicas {
		return false
	}
	return slices.ContainsFunc(pods, func(pod *observed.Pod) bool {
		return slices.ContainsFunc(pod.Status.ContainerStatuses, func(container observed.ContainerStatus) bool {
			return workload.Image(container.Name) != "" && notStarted(&container) // a sidecar of others is not in the template
		})
	})
}

// notStarted reports whether the kubelet cannot pull the image of a container or cannot start its program. A program that crashes
// was started: another image need not help, and the other containers of the pod may serve.
func notStarted(container *observed.ContainerStatus) bool {
	waiting := container.State.Waiting
	if waiting == nil {
		return false
	}
	switch waiting.Reason {
	case "", "ContainerCreating", "PodInitializing":
		return false
	case conditions.CrashLoopBackOff:
		end := container.LastState.Terminated
		return end != nil && end.Reason == "StartError"
	}
	return true
}
