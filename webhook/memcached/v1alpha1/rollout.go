package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
)

// RolloutOptions configure how fast pods are replaced after a change of the pod template. Each new pod starts empty.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxSurge) || self.maxSurge != 0 && self.maxSurge != '0%' || has(self.maxUnavailable) && self.maxUnavailable != 0 && self.maxUnavailable != '0%'",message="maxSurge (1 by default) and maxUnavailable (0 by default) must not both be 0, because no pod could be replaced"
type RolloutOptions struct {
	// minReadySeconds is how long a new pod must be ready before the next pod is replaced. In this time its empty cache
	// fills.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	MinReadySeconds *int32 `json:"minReadySeconds,omitempty"`
	// maxSurge is the maximum number of pods that a Deployment may have above its size, as a number or a percentage.
	// Defaults to 1 for a Deployment. A StatefulSet replaces one pod at a time.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`
	// maxUnavailable is the maximum number of pods of a Deployment that may be unavailable, as a number or a percentage.
	// Defaults to 0 for a Deployment.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// Scaling configures how fast the number of pods follows size. Each added or removed pod moves a share of the keys to other
// pods, where clients miss them. With steps, the rest of the cache keeps serving meanwhile.
type Scaling struct {
	// maxStep is the maximum number of pods to add or remove in one step. By default a change of size is one step.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxStep *int32 `json:"maxStep,omitempty"`
	// stepIntervalSeconds is the time between two steps, about as long as a cache takes to fill. A step up also waits until
	// the pods of the previous step are ready. Without maxStep there are no steps to wait for.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	StepIntervalSeconds *int32 `json:"stepIntervalSeconds,omitempty"`
}
