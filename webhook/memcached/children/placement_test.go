package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestPlacementOfSpec checks which constraints and terms servers have beside those of spec.
func TestPlacementOfSpec(t *testing.T) {
	type placement struct{ Constraints, RevisionLabels, Terms []string }
	const node, zone, rack = corev1.LabelHostname, corev1.LabelTopologyZone, "rack"
	inRacks := []corev1.TopologySpreadConstraint{{TopologyKey: rack}}
	nodes := &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{}}
	away := &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{AvoidPods(1, rack, nil)}}
	hash, revision := []string{appsv1.DefaultDeploymentUniqueLabelKey}, []string{appsv1.ControllerRevisionHashLabelKey}
	for _, test := range []struct {
		reason string
		edit   func(*v1alpha1.MemcachedSpec)
		want   placement
	}{
		{"a Deployment", func(*v1alpha1.MemcachedSpec) {}, placement{[]string{node}, hash, []string{node, zone}}},
		{"a StatefulSet", func(s *v1alpha1.MemcachedSpec) { s.Workload = v1alpha1.StatefulSetWorkload }, placement{[]string{node}, revision, []string{node, zone}}},
		{"an affinity to nodes", func(s *v1alpha1.MemcachedSpec) { s.Affinity = &corev1.Affinity{NodeAffinity: nodes} }, placement{[]string{node}, hash, []string{node, zone}}},
		{"an anti-affinity", func(s *v1alpha1.MemcachedSpec) { s.Affinity = &corev1.Affinity{PodAntiAffinity: away} }, placement{[]string{node}, hash, []string{rack}}},
		{"constraints", func(s *v1alpha1.MemcachedSpec) { s.TopologySpreadConstraints = inRacks }, placement{[]string{rack}, nil, nil}},
		{"constraints and an anti-affinity", func(s *v1alpha1.MemcachedSpec) {
			s.TopologySpreadConstraints, s.Affinity = inRacks, &corev1.Affinity{PodAntiAffinity: away}
		}, placement{[]string{rack}, nil, []string{rack}}},
	} {
		memcached := sample.New(3)
		test.edit(&memcached.Spec)
		before := memcached.DeepCopy()
		pod, got := PodTemplate(memcached, ReleaseDefaults{}, memory.Of(&memcached.Spec)).Spec, placement{}
		for _, constraint := range pod.TopologySpreadConstraints {
			got.Constraints, got.RevisionLabels = append(got.Constraints, constraint.TopologyKey), append(got.RevisionLabels, constraint.MatchLabelKeys...)
		}
		if hasAntiAffinity(pod.Affinity) {
			for _, term := range pod.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
				got.Terms = append(got.Terms, term.PodAffinityTerm.TopologyKey)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("spec has %s (-want +got):\n%s", test.reason, diff)
		}
		if own := memcached.Spec.Affinity; own != nil && pod.Affinity.NodeAffinity != own.NodeAffinity {
			t.Errorf("spec has %s: the affinity to nodes is not that of spec", test.reason)
		}
		if diff := cmp.Diff(before, memcached); diff != "" {
			t.Errorf("spec has %s, and has changed (-before +after):\n%s", test.reason, diff)
		}
	}
}
