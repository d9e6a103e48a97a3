// Package xca has the smallest possible parent: an Xca of apps.xca.k8s.kb.cx/v1beta1 has no children, only a status with the
// time since which it is active.
//
// +kubebuilder:object:generate=true
// +groupName=apps.xca.k8s.kb.cx
// +versionName=v1beta1
package xca

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is the parent's kind.
var Kind = schema.GroupVersionKind{Group: "apps.xca.k8s.kb.cx", Version: "v1beta1", Kind: "Xca"}

// Xca is active since its first sync.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=xcas,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Active,type=boolean,JSONPath=.status.active
// +kubebuilder:printcolumn:name=Updated,type=date,JSONPath=.status.last_update_time
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type Xca struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state.
	// +optional
	Spec Spec `json:"spec,omitzero"`
	// status is the observed state. observedGeneration is -1 until the first sync.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status Status `json:"status,omitzero"`
}

// Spec is the desired state.
type Spec struct {
	// foo is an example field without effect.
	// +optional
	Foo string `json:"foo,omitempty"`
}

// Status is the observed state.
type Status struct {
	// active is true since the first sync.
	// +optional
	Active bool `json:"active"`
	// last_update_time is the last time at which active changed.
	// +optional
	LastUpdateTime *metav1.Time `json:"last_update_time,omitempty"`
	// observedGeneration is the generation of the spec that this status describes. Metacontroller sets it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}
