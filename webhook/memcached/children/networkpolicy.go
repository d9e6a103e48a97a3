package children

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// networkPolicy allows only the peers of the spec to connect, and only to declared ports. Servers need no egress: memcached, the
// exporter, the reloader and the hold open connections within the pod only. It returns nil if it is disabled.
func networkPolicy(in *Input) runtime.Object {
	memcached := in.Memcached
	if !ptr.Deref(memcached.Spec.NetworkPolicy.Enabled, true) {
		return nil
	}
	ingress := []networkingv1.NetworkPolicyIngressRule{{From: serverPeers(in), Ports: PolicyPorts(ClientPorts(memcached.Spec.ForServers()))}}
	if memcached.Spec.HasExporter() {
		ingress = append(ingress, MetricsIngress(memcached))
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: objectMeta(memcached, nil),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: SelectorLabels(memcached)},
			PolicyTypes: PolicyTypes(memcached),
			Ingress:     ingress,
		},
	}
}

// MetricsIngress allows Prometheus to connect to the exporter.
func MetricsIngress(memcached *v1alpha1.Memcached) networkingv1.NetworkPolicyIngressRule {
	from := ClientPeers(memcached)
	if allowed := memcached.Spec.NetworkPolicy.MetricsFrom; len(allowed) > 0 {
		from = allowed
	}
	return networkingv1.NetworkPolicyIngressRule{From: from, Ports: PolicyPorts(MetricsPorts(&memcached.Spec))}
}

// PolicyTypes returns the directions that a NetworkPolicy restricts.
func PolicyTypes(memcached *v1alpha1.Memcached) []networkingv1.PolicyType {
	types := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	if memcached.Spec.NetworkPolicy.Egress == v1alpha1.EgressAllow {
		return types
	}
	return append(types, networkingv1.PolicyTypeEgress)
}

// PolicyPorts returns the ports of a Service as those of a NetworkPolicy.
func PolicyPorts(ports []corev1.ServicePort) []networkingv1.NetworkPolicyPort {
	var allowed []networkingv1.NetworkPolicyPort
	for _, port := range ports {
		allowed = append(allowed, networkingv1.NetworkPolicyPort{Port: new(intstr.FromInt32(port.Port)), Protocol: new(corev1.ProtocolTCP)})
	}
	return allowed
}

// ClientPeers returns the peers that may connect.
func ClientPeers(memcached *v1alpha1.Memcached) []networkingv1.NetworkPolicyPeer {
	if from := memcached.Spec.NetworkPolicy.From; len(from) > 0 {
		return from
	}
	return []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}} // an empty list would allow every peer
}

// serverPeers returns the peers that may connect to the servers: clients, the proxies as long as one may run, and the pods that copy
// items. If clients must use TLS, which only the proxies have, it does not return the clients.
func serverPeers(in *Input) []networkingv1.NetworkPolicyPeer {
	memcached := in.Memcached
	if in.Decision.ProxyStatus != nil && memcached.Spec.TLS != nil {
		return []networkingv1.NetworkPolicyPeer{Peer(ProxySelector(memcached)), Peer(MoveSelector(memcached))}
	}
	clients := ClientAndJobPeers(memcached)
	if in.Decision.ProxyStatus == nil || len(memcached.Spec.NetworkPolicy.From) == 0 {
		return clients
	}
	return append([]networkingv1.NetworkPolicyPeer{Peer(ProxySelector(memcached))}, clients...)
}

// ClientAndJobPeers returns clients, and with proxies the pods that copy items.
func ClientAndJobPeers(memcached *v1alpha1.Memcached) []networkingv1.NetworkPolicyPeer {
	clients := ClientPeers(memcached)
	if memcached.Spec.Proxy == nil || len(memcached.Spec.NetworkPolicy.From) == 0 {
		return clients
	}
	return append([]networkingv1.NetworkPolicyPeer{Peer(MoveSelector(memcached))}, clients...)
}

// Peer returns the pods with some labels.
func Peer(labels map[string]string) networkingv1.NetworkPolicyPeer {
	return networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: labels}}
}
