package proxy

import (
	"maps"
	"strconv"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// outsideLabels and outsideAnnotations ask meshes for no sidecar, because one that is a normal container runs on when copy has ended.
//
//   - https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/#controlling-the-injection-policy
//   - https://kuma.io/docs/latest/reference/kubernetes-annotations/
//   - https://linkerd.io/2/features/proxy-injection/
//   - https://developer.hashicorp.com/consul/docs/k8s/annotations-and-labels
var (
	outsideLabels      = v1alpha1.Labels{"sidecar.istio.io/inject": "false", "kuma.io/sidecar-injection": "disabled"}
	outsideAnnotations = v1alpha1.Annotations{"linkerd.io/inject": "disabled", "consul.hashicorp.com/connect-inject": "false"}
)

func jobLabels(memcached *v1alpha1.Memcached) map[string]string {
	return resources.Labels(children.MoveSelector(memcached), "memcached", memcached.Name, "move")
}

func jobAnnotations(memcached *v1alpha1.Memcached, job moves.DesiredJob) map[string]string {
	annotations := map[string]string{}
	maps.Copy(annotations, memcached.Spec.Proxy.Job.Annotations)
	annotations[JobForAnnotation] = job.String()
	if job.Task() == moves.Copy {
		annotations[warmupAnnotation] = strconv.Itoa(int(*memcached.Spec.Proxy.Warmup.MaxSeconds))
	}
	return annotations
}

func jobPodLabels(memcached *v1alpha1.Memcached) map[string]string {
	labels := map[string]string{}
	for _, each := range []v1alpha1.Labels{outsideLabels, memcached.Spec.PodLabels, memcached.Spec.Proxy.Job.Labels} {
		children.AddLabels(labels, each)
	}
	maps.Copy(labels, jobLabels(memcached))
	return labels
}

func jobPodAnnotations(memcached *v1alpha1.Memcached) map[string]string {
	annotations := map[string]string{}
	for _, each := range []v1alpha1.Annotations{outsideAnnotations, memcached.Spec.PodAnnotations, memcached.Spec.Proxy.Job.Annotations} {
		maps.Copy(annotations, each)
	}
	return annotations
}
