package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// Workload is the kind of child that runs the pods.
//
// +kubebuilder:validation:Enum=Deployment;StatefulSet
type Workload string

const (
	// DeploymentWorkload brings up a new pod before an old one goes, each under a new name and address.
	DeploymentWorkload Workload = "Deployment"
	// StatefulSetWorkload keeps each pod's name: a replaced pod costs a client only its own share of the keys.
	StatefulSetWorkload Workload = "StatefulSet"
)

// MemcachedSpec is the desired state of a cache.
//
// +kubebuilder:validation:XValidation:rule="(has(self.workload) ? self.workload : 'Deployment') == (has(oldSelf.workload) ? oldSelf.workload : 'Deployment')",message="spec.workload cannot be changed, for the cache would start empty under other names: make another Memcached beside this one, and move the clients"
// +kubebuilder:validation:XValidation:rule="!has(self.workload) || self.workload != 'StatefulSet' || !has(self.rollout) || !has(self.rollout.maxSurge) && !has(self.rollout.maxUnavailable)",message="spec.rollout.maxSurge and spec.rollout.maxUnavailable are for a Deployment: a StatefulSet replaces one pod after the other, for each name is taken"
// +kubebuilder:validation:XValidation:rule="(has(self.preStopSleepSeconds) ? self.preStopSleepSeconds : 5) < (has(self.terminationGracePeriodSeconds) ? self.terminationGracePeriodSeconds : 30)",message="spec.preStopSleepSeconds (5 by default) must be less than spec.terminationGracePeriodSeconds (30 by default), which counts from the start of the sleep"
// +kubebuilder:validation:XValidation:rule="!has(self.resources) || !has(self.resources.limits) || !('memory' in self.resources.limits) || quantity(string(self.resources.limits['memory'])).compareTo(quantity('1Mi')) >= 0",message="spec.resources.limits.memory must be at least 1Mi"
// +kubebuilder:validation:XValidation:rule="!has(self.resources) || !has(self.resources.limits) || !has(self.resources.requests) || ['cpu', 'memory'].all(name, !(name in self.resources.limits) || !(name in self.resources.requests) || quantity(string(self.resources.requests[name])).compareTo(quantity(string(self.resources.limits[name]))) <= 0)",message="spec.resources.requests must not be above spec.resources.limits"
// +kubebuilder:validation:XValidation:rule="!has(self.cache) || !has(self.cache.maxItemSize) || !has(self.cache.memoryMB) && has(self.resources) && has(self.resources.limits) && 'memory' in self.resources.limits || int(self.cache.maxItemSize.split('k')[0].split('m')[0]) * (self.cache.maxItemSize.endsWith('m') ? 1024 : 1) * 2 <= (has(self.cache.memoryMB) ? self.cache.memoryMB : 64) * 1024",message="spec.cache.maxItemSize must be at most half of spec.cache.memoryMB (64 by default): memcached does not start otherwise"
type MemcachedSpec struct {
	// size is the number of memcached pods. 0 keeps the resource and runs none.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Size *int32 `json:"size,omitempty"`
	// image is memcached's image; by default a current one of the official images, which changes with the operator's
	// version.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="spec.image must be the name of one image: ASCII characters without blanks"
	Image string `json:"image,omitempty"`
	// imagePullPolicy says when the image is pulled; the default is Kubernetes' own, and depends on the image's tag.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`
	// imagePullSecrets name the Secrets with the credentials of the image's registry.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// workload is the kind of child that runs the pods: Deployment, the default, or StatefulSet, whose pods keep their
	// names, so that clients keep the keys of all others when one is replaced. It cannot be changed.
	// +optional
	Workload Workload `json:"workload,omitempty"`
	// resources are what one memcached container may use. With a memory limit and no cache.memoryMB, the cache is made as
	// large as fits safely under that limit. Without a memory limit, the limit is what cache.memoryMB needs. The memory
	// request is the limit unless it is given.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// cache sets memcached itself.
	// +optional
	Cache Cache `json:"cache,omitzero"`
	// tls encrypts the connections to the cache. Without it they are plain.
	// +optional
	TLS *TLS `json:"tls,omitempty"`
	// auth asks clients for a user and a password. Without it everyone who reaches a pod may use it.
	// +optional
	Auth *Auth `json:"auth,omitempty"`
	// metrics adds to each pod an exporter for Prometheus.
	// +optional
	Metrics Metrics `json:"metrics,omitzero"`

	// rollout says how fast pods are replaced when what they run changes.
	// +optional
	Rollout RolloutOptions `json:"rollout,omitzero"`
	// scaling says how fast a change of size is carried out. By default at once.
	// +optional
	Scaling Scaling `json:"scaling,omitzero"`

	// service sets the headless Service of the cache's name, by which clients find the pods.
	// +optional
	Service Service `json:"service,omitzero"`
	// podDisruptionBudget bounds how many pods a drain of nodes takes at once. It is there from two pods up.
	// +optional
	PodDisruptionBudget PodDisruptionBudget `json:"podDisruptionBudget,omitzero"`
	// networkPolicy says who may connect: by default, pods of the same namespace.
	// +optional
	NetworkPolicy NetworkPolicy `json:"networkPolicy,omitzero"`

	// preStopSleepSeconds is how long a pod that is going still serves, while clients learn that it goes. By default 5;
	// 0 is not at all.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	PreStopSleepSeconds *int64 `json:"preStopSleepSeconds,omitempty"`
	// terminationGracePeriodSeconds is how long a pod that is going may take in all before it is killed. By default 30.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7200
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty"`

	PodOptions `json:",inline"`
}
