package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ServiceAnnotations are the annotations of a Service.
//
// +kubebuilder:validation:MaxProperties=64
// +kubebuilder:validation:XValidation:rule="!self.exists(key, key.startsWith('memcached-operator.example.com/') || key.startsWith('metacontroller.k8s.io/'))",message="must not set annotations with the prefix memcached-operator.example.com/ or metacontroller.k8s.io/: they are reserved"
// +kubebuilder:validation:XValidation:rule="!('service.kubernetes.io/topology-mode' in self) || !('service.kubernetes.io/topology-aware-hints' in self) || self['service.kubernetes.io/topology-mode'] == self['service.kubernetes.io/topology-aware-hints']",message="service.kubernetes.io/topology-mode must be equal to service.kubernetes.io/topology-aware-hints, the former name of the annotation"
type ServiceAnnotations map[string]string

// Service configures the headless Service, which has the name of the Memcached.
//
// +kubebuilder:validation:XValidation:rule="!has(self.annotations) || !('service.beta.kubernetes.io/load-balancer-source-ranges' in self.annotations)",message="must not set service.beta.kubernetes.io/load-balancer-source-ranges, because the Service is headless and has no load balancer: set spec.networkPolicy.from instead"
type Service struct {
	// annotations are the annotations of the Service.
	// +optional
	Annotations ServiceAnnotations `json:"annotations,omitempty"`
	// ipFamilyPolicy is the IP family policy of the Service.
	// +optional
	// +kubebuilder:default=SingleStack
	// +kubebuilder:validation:Enum=SingleStack;PreferDualStack;RequireDualStack
	IPFamilyPolicy *corev1.IPFamilyPolicy `json:"ipFamilyPolicy,omitempty"`
}

// ProxyService configures the Service of the proxies, which has the name of the Memcached and the suffix -proxy.
//
// +kubebuilder:validation:XValidation:rule="!has(self.loadBalancerClass) || self.type == 'LoadBalancer'",message="loadBalancerClass requires type LoadBalancer"
// +kubebuilder:validation:XValidation:rule="!has(self.externalTrafficPolicy) || self.type != 'ClusterIP'",message="externalTrafficPolicy requires type LoadBalancer or NodePort"
// +kubebuilder:validation:XValidation:rule="self.type == 'LoadBalancer' || !has(self.annotations) || !('service.beta.kubernetes.io/load-balancer-source-ranges' in self.annotations)",message="the annotation service.beta.kubernetes.io/load-balancer-source-ranges requires type LoadBalancer"
// +kubebuilder:validation:XValidation:rule="[self, oldSelf].exists(s, s.type != 'LoadBalancer') || (has(self.loadBalancerClass) ? has(oldSelf.loadBalancerClass) && self.loadBalancerClass == oldSelf.loadBalancerClass : !has(oldSelf.loadBalancerClass))",message="loadBalancerClass of a load balancer cannot change: set type ClusterIP first, which removes the load balancer"
type ProxyService struct {
	// type is the type of the Service. LoadBalancer and NodePort admit clients outside of the cluster, which spec.networkPolicy.from must
	// list.
	// +optional
	// +kubebuilder:default=ClusterIP
	// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer
	Type corev1.ServiceType `json:"type,omitempty"`
	// annotations are the annotations of the Service, such as those of a cloud for an internal load balancer.
	// +optional
	Annotations ServiceAnnotations `json:"annotations,omitempty"`
	// loadBalancerClass is the implementation of the load balancer. Defaults to that of the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^([-a-z0-9.]+/)?[-A-Za-z0-9_.]+$`
	LoadBalancerClass *string `json:"loadBalancerClass,omitempty"`
	// externalTrafficPolicy is Local to keep the addresses of clients outside of the cluster, which spec.networkPolicy.from then limits,
	// and to use only proxies on the node that a client reaches. With Cluster, the default of Kubernetes, they have the address of a node.
	// +optional
	// +kubebuilder:validation:Enum=Cluster;Local
	ExternalTrafficPolicy corev1.ServiceExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty"`
	// trafficDistribution prefers proxies in the zone of the client (PreferSameZone), or on its node (PreferSameNode), if one is ready
	// there. Both need Kubernetes 1.34: an earlier API server refuses the Service. PreferClose, the former name of PreferSameZone, needs
	// 1.31: that of 1.30 ignores it. By default, clients use the proxies of all zones.
	// +optional
	// +kubebuilder:validation:Enum=PreferSameZone;PreferSameNode;PreferClose
	TrafficDistribution *string `json:"trafficDistribution,omitempty"`
}

// PodDisruptionBudget limits how many pods a drain of nodes may evict at the same time.
//
// +kubebuilder:validation:XValidation:rule="!has(self.minAvailable) || !has(self.maxUnavailable)",message="minAvailable and maxUnavailable are mutually exclusive"
type PodDisruptionBudget struct {
	// enabled creates the PodDisruptionBudget if there are at least two pods. Defaults to true, unless the operator is installed
	// without PodDisruptionBudgets.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// minAvailable is the minimum number of pods that must stay available, as a number or a percentage. With proxies, it counts the pods of
	// size, also while more pods run.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MinAvailable *intstr.IntOrString `json:"minAvailable,omitempty"`
	// maxUnavailable is the maximum number of pods that may be unavailable, as a number or a percentage. Defaults to 1 if
	// minAvailable is not set.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// NetworkPolicy limits which peers may connect to the pods. It requires a network plugin that enforces network policies.
type NetworkPolicy struct {
	// enabled creates the NetworkPolicy. Without it memcached serves every client that can reach it. Defaults to true, unless
	// the operator is installed without NetworkPolicies.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// from lists the peers that may connect to memcached. Defaults to all pods in the same namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(peer, has(peer.ipBlock) != (has(peer.podSelector) || has(peer.namespaceSelector)))",message="each peer must have either an ipBlock, or a podSelector, a namespaceSelector or both"
	From []networkingv1.NetworkPolicyPeer `json:"from,omitempty"`
	// metricsFrom lists the peers that may read the metrics, such as the namespace of Prometheus. Defaults to the peers in
	// from.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(peer, has(peer.ipBlock) != (has(peer.podSelector) || has(peer.namespaceSelector)))",message="each peer must have either an ipBlock, or a podSelector, a namespaceSelector or both"
	MetricsFrom []networkingv1.NetworkPolicyPeer `json:"metricsFrom,omitempty"`
	// egress is whether the pods may open connections. With Deny, servers open none, and proxies connect to the servers and to
	// port 53 or 5353 of any peer, for DNS. Use Allow for pods with a sidecar that opens connections, such as the one of a service
	// mesh. Defaults to Deny, unless the operator is installed without NetworkPolicies.
	// +optional
	Egress Egress `json:"egress,omitempty"`
}

// Egress is whether pods may open connections.
//
// +kubebuilder:validation:Enum=Deny;Allow
type Egress string

const (
	// EgressDeny allows no connections, except those that proxies need.
	EgressDeny Egress = "Deny"
	// EgressAllow allows all connections.
	EgressAllow Egress = "Allow"
)
