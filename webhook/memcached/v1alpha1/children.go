package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ServiceAnnotations are the annotations of a Service.
//
// +kubebuilder:validation:MaxProperties=64
// +kubebuilder:validation:XValidation:rule="!self.exists(key, key.startsWith('memcached-operator.example.com/') || key.startsWith('metacontroller.k8s.io/'))",message="must not set annotations with the reserved prefixes memcached-operator.example.com/ and metacontroller.k8s.io/"
// +kubebuilder:validation:XValidation:rule="!('service.kubernetes.io/topology-mode' in self) || !('service.kubernetes.io/topology-aware-hints' in self) || self['service.kubernetes.io/topology-mode'] == self['service.kubernetes.io/topology-aware-hints']",message="service.kubernetes.io/topology-mode must have the same value as service.kubernetes.io/topology-aware-hints, the old name of the annotation"
type ServiceAnnotations map[string]string

// Service configures the headless Service of the servers. It has the name of the Memcached.
//
// +kubebuilder:validation:XValidation:rule="!has(self.annotations) || !('service.beta.kubernetes.io/load-balancer-source-ranges' in self.annotations)",message="must not set service.beta.kubernetes.io/load-balancer-source-ranges, because the Service is headless and has no load balancer. Set spec.networkPolicy.from instead"
type Service struct {
	// annotations are the annotations of the Service.
	// +optional
	Annotations ServiceAnnotations `json:"annotations,omitempty"`
	// ipFamilyPolicy is the IP family policy of this Service and of the Service of the proxies.
	// +optional
	// +kubebuilder:default=SingleStack
	// +kubebuilder:validation:Enum=SingleStack;PreferDualStack;RequireDualStack
	IPFamilyPolicy *corev1.IPFamilyPolicy `json:"ipFamilyPolicy,omitempty"`
}

// ProxyService configures the Service of the proxies. Its name is the name of the Memcached with the suffix -proxy.
//
// +kubebuilder:validation:XValidation:rule="!has(self.loadBalancerClass) || self.type == 'LoadBalancer'",message="loadBalancerClass requires type LoadBalancer"
// +kubebuilder:validation:XValidation:rule="!has(self.externalTrafficPolicy) || self.type != 'ClusterIP'",message="externalTrafficPolicy requires type LoadBalancer or NodePort"
// +kubebuilder:validation:XValidation:rule="self.type == 'LoadBalancer' || !has(self.annotations) || !('service.beta.kubernetes.io/load-balancer-source-ranges' in self.annotations)",message="the annotation service.beta.kubernetes.io/load-balancer-source-ranges requires type LoadBalancer"
// +kubebuilder:validation:XValidation:rule="[self, oldSelf].exists(s, s.type != 'LoadBalancer') || (has(self.loadBalancerClass) ? has(oldSelf.loadBalancerClass) && self.loadBalancerClass == oldSelf.loadBalancerClass : !has(oldSelf.loadBalancerClass))",message="loadBalancerClass cannot change while type is LoadBalancer. Set type to ClusterIP first, which removes the load balancer"
type ProxyService struct {
	// type is the type of the Service. LoadBalancer and NodePort admit clients from outside the cluster. spec.networkPolicy.from must list these
	// clients.
	// +optional
	// +kubebuilder:default=ClusterIP
	// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer
	Type corev1.ServiceType `json:"type,omitempty"`
	// annotations are the annotations of the Service, such as the cloud provider's annotation for an internal load balancer.
	// +optional
	Annotations ServiceAnnotations `json:"annotations,omitempty"`
	// loadBalancerClass is the load balancer implementation. Defaults to the implementation of the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^([-a-z0-9.]+/)?[-A-Za-z0-9_.]+$`
	LoadBalancerClass *string `json:"loadBalancerClass,omitempty"`
	// externalTrafficPolicy determines which proxies serve a client from outside the cluster, and which source address they see. Local uses only
	// proxies on the node that the client connects to, and keeps the address of the client, so that spec.networkPolicy.from can match it.
	// Cluster uses all proxies, which see the address of a node. Defaults to Cluster.
	// +optional
	// +kubebuilder:validation:Enum=Cluster;Local
	ExternalTrafficPolicy corev1.ServiceExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty"`
	// trafficDistribution prefers ready proxies in the zone of the client (PreferSameZone) or on its node (PreferSameNode). Both require
	// Kubernetes 1.34: earlier versions reject the Service. PreferClose is the old name of PreferSameZone. It requires Kubernetes 1.31: version
	// 1.30 ignores it. Defaults to the proxies of all zones.
	// +optional
	// +kubebuilder:validation:Enum=PreferSameZone;PreferSameNode;PreferClose
	TrafficDistribution *string `json:"trafficDistribution,omitempty"`
}

// PodDisruptionBudget limits how many pods an eviction, such as a drain of a node, may stop at the same time. The proxies have a
// PodDisruptionBudget of their own, which lets one proxy stop at a time.
//
// +kubebuilder:validation:XValidation:rule="!has(self.minAvailable) || !has(self.maxUnavailable)",message="minAvailable and maxUnavailable are mutually exclusive"
type PodDisruptionBudget struct {
	// enabled creates the PodDisruptionBudget if there are at least two pods. Defaults to true, unless the operator is installed without
	// PodDisruptionBudgets.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// minAvailable is the minimum number of servers that must stay available, as a number or a percentage. With proxies, it refers to size, even
	// while more servers run.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MinAvailable *intstr.IntOrString `json:"minAvailable,omitempty"`
	// maxUnavailable is the maximum number of servers that may be unavailable, as a number or a percentage. Defaults to 1 if minAvailable is not
	// set.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// NetworkPolicy limits which peers may connect to the pods. It requires a network plugin that enforces network policies.
type NetworkPolicy struct {
	// enabled creates the NetworkPolicy. Without it, every client that can reach memcached can use it. Defaults to true, unless the operator is
	// installed without NetworkPolicies.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// from lists the peers that may connect to memcached. With proxies, it applies to the proxies and the servers. With proxies and TLS, only
	// the proxies and the Job may connect to the servers. Defaults to all pods in the same namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(peer, has(peer.ipBlock) != (has(peer.podSelector) || has(peer.namespaceSelector)))",message="each peer must have either an ipBlock, or a podSelector, a namespaceSelector, or both"
	From []networkingv1.NetworkPolicyPeer `json:"from,omitempty"`
	// metricsFrom lists the peers that may read the metrics, such as the namespace of Prometheus. Defaults to the peers in from.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(peer, has(peer.ipBlock) != (has(peer.podSelector) || has(peer.namespaceSelector)))",message="each peer must have either an ipBlock, or a podSelector, a namespaceSelector, or both"
	MetricsFrom []networkingv1.NetworkPolicyPeer `json:"metricsFrom,omitempty"`
	// egress determines whether the pods may open connections. With Deny, servers open none. Proxies connect to the servers, and to ports 53 and
	// 5353 of any peer for DNS. Use Allow for pods with a sidecar that opens connections, such as a service mesh proxy. Defaults to Deny, unless
	// the operator is installed without NetworkPolicies.
	// +optional
	Egress Egress `json:"egress,omitempty"`
}

// Egress determines whether pods may open connections.
//
// +kubebuilder:validation:Enum=Deny;Allow
type Egress string

const (
	// EgressDeny allows no connections, except those that proxies need.
	EgressDeny Egress = "Deny"
	// EgressAllow allows all connections.
	EgressAllow Egress = "Allow"
)
