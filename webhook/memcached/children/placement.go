package children

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

/*
Where servers and proxies run, as far as possible: each on a node and in a zone of its own, so that a node that dies does not take all of them.

The scheduler ignores all preferred constraints of a pod on nodes without the label of one of them, and many clusters have no zones. So the
constraint for nodes is the only one, and zones are an anti-affinity.

A change of the pod template replaces all pods. If those before counted, the new ones would be placed away from those, together. So the constraint
counts one revision. Anti-affinities can do that only from Kubernetes 1.31 on: those of proxies know the routes, and those of servers count all.

Proxies avoid nodes with servers, so that a node that dies takes only one kind. The scheduler applies an anti-affinity to both sides, and scales the
sum of all to the same range, however low the weights are. So servers avoid proxies, too, and need the anti-affinity for nodes, which outweighs that.
*/

// PlacesServers reports whether servers are placed by [SpreadPods] alone, and not also by spec.
func PlacesServers(spec *v1alpha1.MemcachedSpec) bool {
	return len(spec.TopologySpreadConstraints) == 0 && !hasAntiAffinity(spec.Affinity)
}

func hasAntiAffinity(affinity *corev1.Affinity) bool {
	return affinity != nil && affinity.PodAntiAffinity != nil
}

// placeServer sets the node affinity, the affinity to pods and the constraints of a server.
func placeServer(pod *corev1.PodSpec, memcached *v1alpha1.Memcached) {
	spec, labels := &memcached.Spec, SelectorLabels(memcached)
	pod.Affinity = spec.Affinity
	switch {
	case len(spec.TopologySpreadConstraints) > 0:
		pod.TopologySpreadConstraints = ownConstraints(spec.TopologySpreadConstraints, labels)
	case spec.Workload == v1alpha1.StatefulSetWorkload:
		SpreadPods(pod, labels, appsv1.ControllerRevisionHashLabelKey)
	default:
		SpreadPods(pod, labels, appsv1.DefaultDeploymentUniqueLabelKey)
	}
}

// ownConstraints returns the constraints of spec. Those without a selector select all servers.
func ownConstraints(own []corev1.TopologySpreadConstraint, labels map[string]string) []corev1.TopologySpreadConstraint {
	var constraints []corev1.TopologySpreadConstraint
	for _, constraint := range own {
		if constraint.LabelSelector == nil {
			constraint.LabelSelector = &metav1.LabelSelector{MatchLabels: labels}
		}
		constraints = append(constraints, constraint)
	}
	return constraints
}

// SpreadPods places the pods with some labels on nodes and in zones of their own. An anti-affinity that the pod has is kept instead of that
// for zones. revisionLabel is the label that has another value after a change of the pod template.
func SpreadPods(pod *corev1.PodSpec, labels map[string]string, revisionLabel string) {
	pod.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway,
		LabelSelector: &metav1.LabelSelector{MatchLabels: labels}, MatchLabelKeys: []string{revisionLabel},
	}}
	if hasAntiAffinity(pod.Affinity) {
		return
	}
	var affinity corev1.Affinity
	if pod.Affinity != nil {
		affinity = *pod.Affinity // a copy: it is that of spec
	}
	affinity.PodAntiAffinity = &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
		AvoidPods(100, corev1.LabelHostname, labels), AvoidPods(100, corev1.LabelTopologyZone, labels),
	}}
	pod.Affinity = &affinity
}

// AvoidPods returns a preference for nodes, or zones, without pods with some labels.
func AvoidPods(weight int32, topologyKey string, labels map[string]string) corev1.WeightedPodAffinityTerm {
	return corev1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: corev1.PodAffinityTerm{
		TopologyKey: topologyKey, LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
	}}
}
