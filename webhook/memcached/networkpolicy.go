package memcached

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// networkPolicy lets only the given peers connect, and only to the ports that are declared; nil where it is turned off.
func networkPolicy(memcached *v1alpha1.Memcached) *networkingv1.NetworkPolicy {
	given := &memcached.Spec.NetworkPolicy
	if !ptr.Deref(given.Enabled, true) {
		return nil
	}
	from := given.From
	if len(from) == 0 { // an empty list in a policy is everybody
		from = []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	}
	ingress := []networkingv1.NetworkPolicyIngressRule{{From: from, Ports: policyPorts(clientPorts(&memcached.Spec))}}
	if exports(&memcached.Spec) {
		if len(given.MetricsFrom) > 0 {
			from = given.MetricsFrom
		}
		ingress = append(ingress, networkingv1.NetworkPolicyIngressRule{From: from, Ports: policyPorts(metricsPorts(&memcached.Spec))})
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: objectMeta(memcached, nil),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: selectorLabels(memcached)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress:     ingress,
		},
	}
}

func policyPorts(ports []corev1.ServicePort) []networkingv1.NetworkPolicyPort {
	var allowed []networkingv1.NetworkPolicyPort
	for _, each := range ports {
		allowed = append(allowed, networkingv1.NetworkPolicyPort{Port: new(intstr.FromInt32(each.Port)), Protocol: new(corev1.ProtocolTCP)})
	}
	return allowed
}
