package proxy

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

/*
Where proxies run. A node that dies must not take all of them with it, and the constraints in spec are those of the servers.

Each phase of a change is a rollout. If the proxies of the last phase counted, the new ones would be placed away from those, together.

The scheduler ignores all preferred constraints of a pod on nodes without the label of one of them, and many clusters have no zones. So the
constraint for nodes is the only one, and the preference for zones is an anti-affinity. It knows the proxies of a phase by their routes. A rollout
with the same routes, such as one that changes resources, counts those before too: its proxies can be in one zone.

Proxies do not prefer nodes without servers. The scheduler applies an anti-affinity to both sides, however low its weight: where the constraints of
the servers have no effect, all of them would prefer the nodes without proxies, and be on one node more often.
*/

// spread spreads the proxies of a rollout over nodes if possible.
func spread(memcached *v1alpha1.Memcached, defaults Defaults) []corev1.TopologySpreadConstraint {
	constraints := children.DefaultSpread(children.ProxySelector(memcached))
	if defaults.Apart {
		constraints = constraints[:1]
		constraints[0].MatchLabelKeys = []string{appsv1.DefaultDeploymentUniqueLabelKey}
	}
	return constraints
}

// affinity returns the affinity of the spec to nodes, and spreads the proxies with some routes over zones. The affinity of the spec to pods relates
// to the servers.
func affinity(memcached *v1alpha1.Memcached, defaults Defaults, routes scaling.Routes) *corev1.Affinity {
	if !defaults.Apart {
		return nodeAffinity(memcached.Spec.Affinity)
	}
	labels := children.ProxySelector(memcached)
	maps.Copy(labels, map[string]string{RoutesLabel: routes.String()})
	affinity := corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight:          100,
			PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: corev1.LabelTopologyZone, LabelSelector: &metav1.LabelSelector{MatchLabels: labels}},
		}},
	}}
	if own := nodeAffinity(memcached.Spec.Affinity); own != nil {
		affinity.NodeAffinity = own.NodeAffinity
	}
	return &affinity
}

// nodeAffinity returns the affinity of the spec to nodes.
func nodeAffinity(spec *corev1.Affinity) *corev1.Affinity {
	if spec == nil || spec.NodeAffinity == nil {
		return nil
	}
	return &corev1.Affinity{NodeAffinity: spec.NodeAffinity}
}
