package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Xca is a minimal example of a custom resource. It becomes active with its first sync.
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
	Spec XcaSpec `json:"spec,omitzero"`
	// status is the observed state. observedGeneration is -1 until the first sync.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status XcaStatus `json:"status,omitzero"`
}

// XcaSpec is the desired state.
type XcaSpec struct {
	// foo is an example field. It has no effect.
	// +optional
	Foo string `json:"foo,omitempty"`
}

// XcaStatus is the observed state.
type XcaStatus struct {
	// active is true after the first sync.
	// +optional
	Active bool `json:"active"`
	// last_update_time is the last time at which active changed.
	// +optional
	LastUpdateTime *metav1.Time `json:"last_update_time,omitempty"`
	// observedGeneration is the generation of the spec that this status describes. Metacontroller sets it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// XcaList is a list of Xca objects.
//
// +kubebuilder:object:root=true
type XcaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Xca `json:"items"`
}
