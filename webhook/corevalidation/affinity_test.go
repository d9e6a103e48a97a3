package corevalidation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func requiresNode(expressions ...corev1.NodeSelectorRequirement) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: expressions}},
	}}}
}

func prefersNode(points int32, preference corev1.NodeSelectorTerm) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
		{Weight: points, Preference: preference},
	}}}
}

func TestNodeAffinity(t *testing.T) {
	const required = "spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
	const preferred = "spec.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
	fields := func(requirement corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{requirement}}
	}
	cases := []struct {
		reason   string
		affinity *corev1.Affinity
		want     string
	}{
		{"none", nil, ""},
		{"a label", requiresNode(corev1.NodeSelectorRequirement{Key: "a", Operator: "In", Values: []string{"b"}}), ""},
		{"no terms", &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{}}}, required + ": Required value"},
		{"In without values", requiresNode(corev1.NodeSelectorRequirement{Key: "a", Operator: "In"}), required + "[0].matchExpressions[0].values: Required value"},
		{"Exists with values", requiresNode(corev1.NodeSelectorRequirement{Key: "a", Operator: "Exists", Values: []string{"b"}}), required + "[0].matchExpressions[0].values: Forbidden"},
		{"Lt with two values", requiresNode(corev1.NodeSelectorRequirement{Key: "a", Operator: "Lt", Values: []string{"1", "2"}}), required + "[0].matchExpressions[0].values: Required value"},
		{"an unknown operator", requiresNode(corev1.NodeSelectorRequirement{Key: "a", Operator: "Is"}), required + "[0].matchExpressions[0].operator: Invalid value"},
		{"an invalid key", requiresNode(corev1.NodeSelectorRequirement{Key: "a b", Operator: "Exists"}), required + "[0].matchExpressions[0].key: Invalid value"},
		{"an invalid value", requiresNode(corev1.NodeSelectorRequirement{Key: "a", Operator: "In", Values: []string{"b c"}}), required + "[0].matchExpressions[0].values[0]: Invalid value"},
		{"a weight of 0", prefersNode(0, corev1.NodeSelectorTerm{}), preferred + ".weight: Invalid value"},
		{"a weight above 100", prefersNode(101, corev1.NodeSelectorTerm{}), preferred + ".weight: Invalid value"},
		{"a preferred value is not validated", prefersNode(1, corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "a", Operator: "In", Values: []string{"b c"}}}}), ""},
		{"the name of a node", prefersNode(1, fields(corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: "In", Values: []string{"a"}})), ""},
		{"another field", prefersNode(1, fields(corev1.NodeSelectorRequirement{Key: "spec.x", Operator: "In", Values: []string{"a"}})), preferred + ".preference.matchFields[0].key: Unsupported value"},
		{"an invalid name", prefersNode(1, fields(corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: "In", Values: []string{"a_b"}})), preferred + ".preference.matchFields[0].values[0]: Invalid value"},
		{"two names", prefersNode(1, fields(corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: "In", Values: []string{"a", "b"}})), preferred + ".preference.matchFields[0].values: Required value"},
	}
	for _, test := range cases {
		expect(t, test.reason, Affinity(specPath, test.affinity), test.want)
	}
}

func TestPodAffinity(t *testing.T) {
	const path = "spec.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
	all := &metav1.LabelSelector{}
	cases := []struct {
		reason string
		term   corev1.PodAffinityTerm
		want   string
	}{
		{"only a topology key", corev1.PodAffinityTerm{TopologyKey: "zone"}, ""},
		{"an invalid topology key", corev1.PodAffinityTerm{TopologyKey: "a b"}, path + ".topologyKey: Invalid value"},
		{"an invalid namespace", corev1.PodAffinityTerm{TopologyKey: "zone", Namespaces: []string{"a.b"}}, path + ".namespaces[0]: Invalid value"},
		{"an invalid value in a selector", corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b c"}}}, path + ".labelSelector.matchLabels: Invalid value"},
		{"keys", corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: all, MatchLabelKeys: []string{"a"}, MismatchLabelKeys: []string{"b"}}, ""},
		{"keys without a selector", corev1.PodAffinityTerm{TopologyKey: "zone", MismatchLabelKeys: []string{"b"}}, path + ".mismatchLabelKeys: Forbidden"},
		{"a key in both lists", corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: all, MatchLabelKeys: []string{"a"}, MismatchLabelKeys: []string{"a"}}, path + ".matchLabelKeys[0]: Invalid value"},
		{"a key of the selector", corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}, MatchLabelKeys: []string{"a"}}, path + ".matchLabelKeys[0]: Invalid value"},
	}
	for _, test := range cases {
		affinity := &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{test.term}}}
		expect(t, test.reason, Affinity(specPath, affinity), test.want)
	}
}
