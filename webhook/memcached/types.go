// Package memcached runs Memcached: a parent of cache.example.com/v1alpha1 becomes a Deployment of memcached pods.
//
// +kubebuilder:object:generate=true
// +groupName=cache.example.com
// +versionName=v1alpha1
package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	// nodes are the names of the live pods, sorted. A pod that is being deleted or has finished is not among them.
	// +optional
	// +listType=atomic
	Nodes []string `json:"nodes"`
	// replicas is the number of pods that the workload has.
	// +optional
	Replicas int32 `json:"replicas"`
	// readyReplicas is the number of pods that serve.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// selector selects the pods, as kubectl and a HorizontalPodAutoscaler read it.
	// +optional
	Selector string `json:"selector,omitempty"`
	// observedGeneration is the generation of the spec that this status is about. Metacontroller sets it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// conditions are Available (at least one pod serves), Ready (all that was asked for runs, up to date and ready),
	// Progressing (pods are on their way) and Degraded (something stands in the way; the message says what).
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MemcachedList is a list of Memcacheds.
//
// +kubebuilder:object:root=true
type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Memcached `json:"items"`
}
