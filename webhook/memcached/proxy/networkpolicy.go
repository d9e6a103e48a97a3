package proxy

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// networkPolicy allows the peers of the spec, and the pods that copy items, to connect to the proxies, Prometheus to connect to their
// exporter, and the proxies to connect to the servers. It returns nil if it is disabled.
func networkPolicy(in *Input) runtime.Object {
	memcached := in.Memcached
	if !ptr.Deref(memcached.Spec.NetworkPolicy.Enabled, true) {
		return nil
	}
	ingress := clientIngress(memcached)
	if in.exports() {
		ingress = append(ingress, children.MetricsIngress(memcached))
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: objectMeta(memcached, nil),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: children.ProxySelector(memcached)},
			PolicyTypes: children.PolicyTypes(memcached),
			Ingress:     ingress,
			Egress:      egress(memcached),
		},
	}
}

// clientIngress lets clients and the Job connect. With TLS, each has ports of its own.
func clientIngress(memcached *v1alpha1.Memcached) []networkingv1.NetworkPolicyIngressRule {
	clients := children.PolicyPorts(children.ClientPorts(&memcached.Spec))
	if memcached.Spec.TLS == nil {
		return []networkingv1.NetworkPolicyIngressRule{{From: children.ClientAndJobPeers(memcached), Ports: clients}}
	}
	job := []networkingv1.NetworkPolicyPeer{children.Peer(children.MoveSelector(memcached))}
	return []networkingv1.NetworkPolicyIngressRule{
		{From: children.ClientPeers(memcached), Ports: clients},
		{From: job, Ports: children.PolicyPorts([]corev1.ServicePort{plainPort(&memcached.Spec)})},
	}
}

// egress returns the connections that proxies open: to the servers and to DNS. It returns nil if they may open all.
//
// DNS has no peers, because its pods, a cache on the node and a server outside of the cluster have no common selector. Port 5353 is
// that of the DNS pods of OpenShift, because a network plugin can translate the address before it checks the port.
func egress(memcached *v1alpha1.Memcached) []networkingv1.NetworkPolicyEgressRule {
	if memcached.Spec.NetworkPolicy.Egress == v1alpha1.EgressAllow {
		return nil
	}
	var dns []networkingv1.NetworkPolicyPort
	for _, protocol := range []corev1.Protocol{corev1.ProtocolUDP, corev1.ProtocolTCP} {
		for _, port := range []int32{53, 5353} {
			dns = append(dns, networkingv1.NetworkPolicyPort{Port: new(intstr.FromInt32(port)), Protocol: new(protocol)})
		}
	}
	return []networkingv1.NetworkPolicyEgressRule{
		{To: []networkingv1.NetworkPolicyPeer{children.Peer(children.SelectorLabels(memcached))}, Ports: children.PolicyPorts(children.ClientPorts(memcached.Spec.ForServers()))},
		{Ports: dns},
	}
}
