package proxy

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// place places proxies with some routes apart, and away from servers: see [children.SpreadPods]. The affinity to pods and the constraints
// of spec relate to the servers. Where they place those, no term of proxies has an effect on servers.
func place(pod *corev1.PodSpec, memcached *v1alpha1.Memcached, routes moves.Routes) {
	labels := children.ProxySelector(memcached)
	pod.Affinity = nodeAffinity(memcached.Spec.Affinity)
	labels[RoutesLabel] = routes.String()
	children.SpreadPods(pod, labels, appsv1.DefaultDeploymentUniqueLabelKey)
	if children.PlacesServers(&memcached.Spec) {
		terms := &pod.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		*terms = append(*terms, children.AvoidPods(10, corev1.LabelHostname, children.SelectorLabels(memcached)))
	}
}

// nodeAffinity returns the affinity of the spec to nodes.
func nodeAffinity(spec *corev1.Affinity) *corev1.Affinity {
	if spec == nil || spec.NodeAffinity == nil {
		return nil
	}
	return &corev1.Affinity{NodeAffinity: spec.NodeAffinity}
}
