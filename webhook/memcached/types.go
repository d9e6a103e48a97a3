// Package memcached runs Memcached: a parent of cache.example.com/v1alpha1 becomes a Deployment of memcached pods.
//
// +kubebuilder:object:generate=true
// +groupName=cache.example.com
// +versionName=v1alpha1
package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/webhook/object"
)

// Kind is the parent's kind.
var Kind = schema.GroupVersionKind{Group: "cache.example.com", Version: "v1alpha1", Kind: "Memcached"}

// Memcached is a cache: a number of memcached servers that clients use as one by hashing keys over them.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=mc,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.spec.size
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Nodes,type=string,priority=1,JSONPath=.status.nodes
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be at most 63 lower case letters, digits and dashes, start with a letter and end with a letter or digit: pods carry it as a label, and a Service may be named after it"
type Memcached struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what you ask for.
	// +required
	Spec Spec `json:"spec,omitzero"`
	// status is what was observed last.
	// +optional
	Status Status `json:"status,omitzero"`
}

// Spec is the cache that is asked for.
type Spec struct {
	// size is the number of memcached pods. 0 keeps the resource and runs none.
	// +required
	// +kubebuilder:validation:Minimum=0
	Size *int32 `json:"size,omitempty"`
	// image is memcached's image; by default a current one of the official images, which changes with the operator's
	// version.
	// +optional
	// +kubebuilder:validation:MinLength=1
	Image string `json:"image,omitempty"`
}

// Status is the cache that was observed.
type Status struct {
	object.ReplicaStatus `json:",inline"`
}

// MemcachedList is a list of Memcacheds.
//
// +kubebuilder:object:root=true
type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Memcached `json:"items"`
}
