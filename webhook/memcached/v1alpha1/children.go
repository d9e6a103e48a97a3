package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// RolloutOptions set how fast pods are replaced after a change of the pod template. Each new pod starts empty.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxSurge) || self.maxSurge != 0 && self.maxSurge != '0%' || has(self.maxUnavailable) && self.maxUnavailable != 0 && self.maxUnavailable != '0%'",message="maxSurge (1 by default) and maxUnavailable (0 by default) must not both be 0: no pod could ever be replaced"
type RolloutOptions struct {
	// minReadySeconds is how long a pod must be ready before the next one is replaced, so that the caches that start
	// empty fill one after the other. By default 30.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	MinReadySeconds *int32 `json:"minReadySeconds,omitempty"`
	// maxSurge is how many pods a Deployment may have beyond its size, as a number or a percentage. By default 1.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`
	// maxUnavailable is how many pods of a Deployment may be missing, as a number or a percentage. By default 0.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// Scaling says how fast a change of size is carried out. Each pod more or less takes a share of the keys from where
// clients look for them; in steps, the rest of the cache carries the load meanwhile.
//
// +kubebuilder:validation:XValidation:rule="!has(self.stepIntervalSeconds) || has(self.maxStep)",message="stepIntervalSeconds needs maxStep: without it a change of size is one step"
type Scaling struct {
	// maxStep is by how many pods the size changes at once.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxStep *int32 `json:"maxStep,omitempty"`
	// stepIntervalSeconds is how long to wait from one step to the next: about as long as a cache takes to fill. By
	// default 60. A step up also waits until the pods of the one before are ready.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	StepIntervalSeconds *int32 `json:"stepIntervalSeconds,omitempty"`
}

// Service sets the headless Service of the cache's name.
type Service struct {
	// annotations of the Service.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="!self.exists(key, key.startsWith('memcached-operator.example.com/') || key.startsWith('metacontroller.k8s.io/'))",message="must not set annotations of memcached-operator.example.com/ or metacontroller.k8s.io/, which are theirs"
	Annotations map[string]string `json:"annotations,omitempty"`
	// ipFamilyPolicy says whether the Service has addresses of one family or of two. By default SingleStack.
	// +optional
	// +kubebuilder:validation:Enum=SingleStack;PreferDualStack;RequireDualStack
	IPFamilyPolicy *corev1.IPFamilyPolicy `json:"ipFamilyPolicy,omitempty"`
}

// PodDisruptionBudget bounds how many pods a drain of nodes takes at once.
//
// +kubebuilder:validation:XValidation:rule="!has(self.minAvailable) || !has(self.maxUnavailable)",message="minAvailable and maxUnavailable exclude each other"
type PodDisruptionBudget struct {
	// enabled is true by default.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// minAvailable is how many pods must stay, as a number or a percentage.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MinAvailable *intstr.IntOrString `json:"minAvailable,omitempty"`
	// maxUnavailable is how many pods may be taken, as a number or a percentage. By default 1.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// NetworkPolicy says who may connect to the pods. It needs a network that enforces policies.
type NetworkPolicy struct {
	// enabled is true by default: memcached answers whoever reaches it.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// from are the peers that may connect. By default, all pods of the same namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(peer, has(peer.ipBlock) != (has(peer.podSelector) || has(peer.namespaceSelector)))",message="each peer must be an ipBlock, or a podSelector or a namespaceSelector or both"
	From []networkingv1.NetworkPolicyPeer `json:"from,omitempty"`
	// metricsFrom are the peers that may read the metrics, such as the namespace of Prometheus. By default those of from.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(peer, has(peer.ipBlock) != (has(peer.podSelector) || has(peer.namespaceSelector)))",message="each peer must be an ipBlock, or a podSelector or a namespaceSelector or both"
	MetricsFrom []networkingv1.NetworkPolicyPeer `json:"metricsFrom,omitempty"`
}
