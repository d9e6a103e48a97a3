package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
)

// RolloutOptions configure how fast a change of the pod template replaces pods. Without proxies, each new pod starts empty. With proxies and
// warm-up, all new pods start together, and the items move to them before the old pods stop.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxSurge) || self.maxSurge != 0 && self.maxSurge != '0%' || has(self.maxUnavailable) && self.maxUnavailable != 0 && self.maxUnavailable != '0%'",message="maxSurge (1 by default) and maxUnavailable (0 by default) must not both be 0, because no pod could be replaced"
type RolloutOptions struct {
	// minReadySeconds is how long a new pod must be ready before it counts as available. Without proxies, the next pod is replaced only then, so
	// the new pod has this time to fill.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	MinReadySeconds *int32 `json:"minReadySeconds,omitempty"`
	// maxSurge is the maximum number of additional pods during a rollout, as a number or a percentage. A StatefulSet does not support it.
	// Defaults to 1 for a Deployment.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`
	// maxUnavailable is the maximum number of unavailable pods during a rollout, as a number or a percentage. A StatefulSet does not support it.
	// Defaults to 0 for a Deployment.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? 0 <= self && self <= 2147483647 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be a number of pods or a percentage up to 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// Scaling configures how fast the number of servers follows size. Each added or removed server moves a share of the keys. Without proxies, these
// keys miss; with steps, the other keys continue to hit. With proxies, each step is a change with all its phases.
type Scaling struct {
	// maxStep is the maximum number of servers to add or remove in one step. Defaults to no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxStep *int32 `json:"maxStep,omitempty"`
	// stepIntervalSeconds is the minimum time between two steps. Set it to the time that the cache needs to fill. A step up also waits until the
	// pods of the previous step are ready. Without maxStep, the field has no effect.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	StepIntervalSeconds *int32 `json:"stepIntervalSeconds,omitempty"`
}
