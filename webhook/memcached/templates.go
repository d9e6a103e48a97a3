package memcached

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
Pod templates, and the defaults in them that differ between releases of the operator: images, the library of the proxies, and
how pods are placed on nodes.

An upgrade of the operator must not empty a cache, and two releases that run side by side must not replace pods in turns. So pods keep
the defaults that they run until something else changes their template. What spec sets is not a default. Annotations of the workload
record which defaults were applied.
*/

// templates are the pod templates of a cache.
type templates struct {
	memory  memory.Size
	servers children.Template
	// applied reports whether the template of the servers was applied last. It is false if no items can move: then nothing depends on it.
	applied bool
	// proxies is nil if spec has none.
	proxies *proxyTemplates
}

func (c Config) templates(o *observation) (t templates, err error) {
	t.memory = memory.Of(&o.memcached.Spec)
	if t.servers, err = c.serverTemplate(o, t.memory); err != nil {
		return t, err
	}
	if o.workload != nil && o.moves() {
		// Not what somebody else has changed since: Metacontroller takes that back.
		if t.applied, err = merge.TemplateApplied(&t.servers.PodTemplateSpec, o.workload); err != nil {
			return t, err
		}
	}
	if o.memcached.Spec.Proxy != nil {
		t.proxies, err = c.proxyTemplates(o, t.memory)
	}
	return t, err
}

// serverTemplate returns the pod template of the servers.
func (c Config) serverTemplate(o *observation, size memory.Size) (children.Template, error) {
	spec := &o.memcached.Spec
	configured := children.Defaults{
		Images: children.Images{
			Memcached: cmp.Or(c.Image, children.DefaultImage),
			Exporter:  cmp.Or(c.ExporterImage, children.DefaultExporterImage),
		},
		TolerationSeconds: children.TolerationSeconds(spec),
	}
	if spec.NeedsReloader() {
		configured.Reloader = c.OperatorImage
	}
	if spec.WarmsUp() {
		configured.Hold = c.OperatorImage
	}
	template := children.PodTemplate(o.memcached, configured, size)
	if o.workload == nil {
		return template, nil
	}
	running := children.Defaults{
		Images: children.Images{
			Memcached: appliedImage(o.workload, children.ContainerName, configured.Memcached),
			Exporter:  appliedImage(o.workload, children.ExporterName, configured.Exporter),
		},
		TolerationSeconds: o.appliedTolerationSeconds(configured.TolerationSeconds),
	}
	if spec.NeedsReloader() && !appliedWithout(o.workload, children.ReloaderName) {
		running.Reloader = appliedImage(o.workload, children.ReloaderName, configured.Reloader)
	}
	if spec.WarmsUp() && !appliedWithout(o.workload, children.HoldName) {
		running.Hold = appliedImage(o.workload, children.HoldName, configured.Hold)
	}
	if running == configured || takesDefaults(o.workload, o.livePods, children.ContainerName) {
		return template, nil
	}
	former := children.PodTemplate(o.memcached, running, size)
	if runs, err := isTemplate(&former.PodTemplateSpec, o.workload); err != nil || runs {
		return former, err
	}
	return template, nil
}

// appliedTolerationSeconds returns the default that servers run; the configured one if spec has or had no proxies. Those of an earlier release have none.
func (o *observation) appliedTolerationSeconds(configured int64) int64 {
	seconds, found := children.AppliedTolerationSeconds(o.workload)
	switch {
	case o.memcached.Spec.Proxy == nil:
		return configured
	case found:
		return seconds
	case o.proxies == nil:
		return configured
	}
	seconds, _ = children.AppliedTolerationSeconds(o.proxies) // proxies were added, and the servers are not applied yet
	return seconds
}

// isTemplate reports whether an apply of a pod template would change nothing.
func isTemplate(template *corev1.PodTemplateSpec, workload *observed.Workload) (bool, error) {
	difference, err := merge.TemplateDifference(template, workload)
	return difference == "", err
}

// appliedWithout reports whether the operator ran without the image of a container that spec needed when it applied a workload.
func appliedWithout(workload *observed.Workload, container string) bool {
	image, needed := workload.Annotations[children.ImageAnnotation(container)]
	return needed && image == "" && workload.Image(container) == ""
}

// appliedImage returns the image of a container, if it is a default as the operator applied it; otherwise the configured image.
func appliedImage(workload *observed.Workload, container, configured string) string {
	image := workload.Image(container)
	if image == "" || image != workload.Annotations[children.ImageAnnotation(container)] {
		return configured
	}
	return image
}

// takesDefaults reports whether pods take the configured defaults: an image of the operator cannot start, and other defaults cost no items, because
// a rollout replaces the pods anyway, or the main container runs in no pod.
func takesDefaults(workload *observed.Workload, pods []*observed.Pod, main string) bool {
	inRollout := workload.Status.UpdatedReplicas < workload.Status.Replicas
	anyRuns := slices.ContainsFunc(pods, func(pod *observed.Pod) bool { return pod.ContainerRunning(main) })
	return (inRollout || !anyRuns) && slices.ContainsFunc(pods, func(pod *observed.Pod) bool { return imageFails(workload, pod) })
}

// imageFails reports whether a container of the pod template cannot start. A sidecar of others is not in the template.
func imageFails(workload *observed.Workload, pod *observed.Pod) bool {
	fails := func(container observed.ContainerStatus) bool {
		return workload.Image(container.Name) != "" && cannotStart(&container)
	}
	return slices.ContainsFunc(pod.Status.InitContainerStatuses, fails) || slices.ContainsFunc(pod.Status.ContainerStatuses, fails)
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
