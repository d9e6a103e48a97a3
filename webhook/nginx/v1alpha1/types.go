package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

// Nginx runs identical nginx servers.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=nginxes,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.count,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.spec.count
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Status,type=string,description="The reason of the condition Ready",JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be at most 63 lower case letters, digits and dashes, start with a letter and end with a letter or digit, because pods have it as a label, and a Service may have the same name"
type Nginx struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state.
	// +required
	Spec NginxSpec `json:"spec,omitzero"`
	// status is the observed state. observedGeneration is -1 until the first sync.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status NginxStatus `json:"status,omitzero"`
}

// NginxSpec is the desired state.
type NginxSpec struct {
	// count is the number of nginx pods. 0 removes all pods.
	// +required
	// +kubebuilder:validation:Minimum=0
	Count *int32 `json:"count,omitempty"`
	// image is the nginx image. It must run as a numeric user other than root, with a read-only root filesystem and a writable /tmp, and listen
	// on port 8080. Defaults to a version of the official unprivileged image that each release of the operator pins.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="spec.image must be the name of one image: ASCII characters without spaces"
	Image string `json:"image,omitempty"`
}

// NginxStatus is the observed state.
type NginxStatus struct {
	api.ReplicaStatus `json:",inline"`
}

// NginxList is a list of Nginx objects.
//
// +kubebuilder:object:root=true
type NginxList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Nginx `json:"items"`
}
