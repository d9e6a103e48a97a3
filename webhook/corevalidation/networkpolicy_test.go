package corevalidation

import (
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNetworkPolicyPeer(t *testing.T) {
	expression := func(operator metav1.LabelSelectorOperator, values ...string) networkingv1.NetworkPolicyPeer {
		return networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: operator, Values: values}}}}
	}
	block := func(addresses string, except ...string) networkingv1.NetworkPolicyPeer {
		return networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: addresses, Except: except}}
	}
	cases := []struct {
		reason string
		peer   networkingv1.NetworkPolicyPeer
		want   string
	}{
		{"an empty peer", networkingv1.NetworkPolicyPeer{}, "spec: Forbidden"},
		{"all pods of all namespaces", networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{}, NamespaceSelector: &metav1.LabelSelector{}}, ""},
		{"an ipBlock with a selector", networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{}, IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}, "spec: Forbidden"},
		{"an invalid value", networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b c"}}}, "spec.namespaceSelector.matchLabels: Invalid value"},
		{"In", expression("In", "b"), ""},
		{"In without values", expression("In"), "spec.podSelector.matchExpressions[0].values: Required value"},
		{"Exists with values", expression("Exists", "b"), "spec.podSelector.matchExpressions[0].values: Forbidden"},
		{"an unknown operator", expression("Is", "b"), "spec.podSelector.matchExpressions[0].operator: Invalid value"},
		{"a range", block("10.0.0.0/8", "10.1.0.0/16"), ""},
		{"a range of IPv6", block("2001:DB8::/32"), ""},
		{"bits beyond the prefix", block("10.0.0.1/8"), "spec.ipBlock.cidr: Invalid value"},
		{"leading zeros", block("010.0.0.0/8"), "spec.ipBlock.cidr: Invalid value"},
		{"an address without a prefix length", block("10.0.0.0"), "spec.ipBlock.cidr: Invalid value"},
		{"bits beyond the prefix of an exception", block("10.0.0.0/8", "10.1.0.1/16"), "spec.ipBlock.except[0]: Invalid value"},
		{"an exception outside of the range", block("10.0.0.0/8", "11.0.0.0/16"), "spec.ipBlock.except[0]: Invalid value"},
		{"an exception of the whole range", block("10.0.0.0/8", "10.0.0.0/8"), "spec.ipBlock.except[0]: Invalid value"},
		{"an invalid exception", block("10.0.0.0/8", "10"), "spec.ipBlock.except[0]: Invalid value"},
	}
	for _, test := range cases {
		expect(t, test.reason, NetworkPolicyPeer(specPath, &test.peer), test.want)
	}
}
