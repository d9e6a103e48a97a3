// Package xca activates: a parent of apps.xca.k8s.kb.cx/v1beta1 has no children, only a status that says since when it is
// active.
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

// Xca is active from its first sync on.
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

	// spec is what you ask for.
	// +optional
	Spec Spec `json:"spec,omitzero"`
	// status is what was observed last.
	// +optional
	Status Status `json:"status,omitzero"`
}

// Spec is what is asked for.
type Spec struct {
	// foo is yours to set; nothing depends on it.
	// +optional
	Foo string `json:"foo,omitempty"`
}

// Status is what was observed.
type Status struct {
	// active is true from the first sync on.
	// +optional
	Active bool `json:"active"`
	// last_update_time is when active changed last.
	// +optional
	LastUpdateTime *metav1.Time `json:"last_update_time,omitempty"`
	// observedGeneration is the generation of the spec that this status is about. Metacontroller sets it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}
