package memcached

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// proxyChildren returns the children that belong to the proxies; none without proxies.
func proxyChildren(memcached *v1alpha1.Memcached, p plan) []runtime.Object {
	if memcached.Spec.Proxy == nil {
		return nil
	}
	children := []runtime.Object{proxyDeployment(memcached, p), proxyService(memcached)}
	if p.Proxies > 1 && ptr.Deref(memcached.Spec.PodDisruptionBudget.Enabled, true) {
		children = append(children, proxyPodDisruptionBudget(memcached))
	}
	if ptr.Deref(memcached.Spec.NetworkPolicy.Enabled, true) {
		children = append(children, proxyNetworkPolicy(memcached))
	}
	return children
}

// proxyService returns the Service by which clients reach all proxies at one address.
func proxyService(memcached *v1alpha1.Memcached) *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: proxyMeta(memcached, nil),
		Spec: corev1.ServiceSpec{
			Type:           corev1.ServiceTypeClusterIP,
			IPFamilyPolicy: memcached.Spec.Service.IPFamilyPolicy,
			Selector:       proxySelector(memcached),
			Ports:          proxyServicePorts(),
		},
	}
}

// proxyPodDisruptionBudget limits a drain of nodes to one proxy at a time. The numbers in spec.podDisruptionBudget are those
// of the servers.
func proxyPodDisruptionBudget(memcached *v1alpha1.Memcached) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: proxyMeta(memcached, nil),
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector:                   &metav1.LabelSelector{MatchLabels: proxySelector(memcached)},
			MaxUnavailable:             new(intstr.FromInt32(1)),
			UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
		},
	}
}

// proxyNetworkPolicy allows the peers of the spec to connect to the proxies.
func proxyNetworkPolicy(memcached *v1alpha1.Memcached) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: proxyMeta(memcached, nil),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: proxySelector(memcached)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: clientPeers(memcached), Ports: policyPorts(proxyServicePorts())}},
		},
	}
}
