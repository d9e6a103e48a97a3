package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

// CustomImageDeploy runs an image that serves HTTP, and publishes it with a Deployment, a Service and an Ingress of the same name. When it is
// deleted, it deletes first the Ingress, then the Service, then the Deployment.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=customimagedeploys,shortName=cid,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.spec.size
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Status,type=string,description="The reason of the condition Ready",JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Address,type=string,JSONPath=.status.address
// +kubebuilder:printcolumn:name=Image,type=string,priority=1,JSONPath=.spec.image
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be at most 63 lower case letters, digits and dashes, start with a letter and end with a letter or digit, because pods have it as a label, and the Service has the same name"
type CustomImageDeploy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state.
	// +required
	Spec CustomImageDeploySpec `json:"spec,omitzero"`
	// status is the observed state. observedGeneration is -1 until the first sync.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status CustomImageDeployStatus `json:"status,omitzero"`
}

// CustomImageDeploySpec is the desired state.
type CustomImageDeploySpec struct {
	// image is the image to run.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="spec.image must be the name of one image: ASCII characters without spaces"
	Image string `json:"image,omitempty"`
	// port is the TCP port on which the image serves HTTP. It is also the port of the Service.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port *int32 `json:"port,omitempty"`
	// size is the number of pods. 0 removes all pods.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Size *int32 `json:"size,omitempty"`
	// host is the host name for which the Ingress accepts requests. The first label may be an asterisk. Defaults to NAME.NAMESPACE of this
	// resource.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([*][.])?[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$') && !self.matches('^[0-9.]+$')",message="spec.host must be a host name of lower case letters, digits, dashes and dots, not an IP address"
	Host string `json:"host,omitempty"`
	// ingressClassName is the name of the IngressClass whose controller serves the Ingress. Defaults to the default IngressClass of the cluster,
	// if there is one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="spec.ingressClassName must be the name of an IngressClass: lower case letters, digits, dashes and dots"
	IngressClassName string `json:"ingressClassName,omitempty"`
}

// CustomImageDeployStatus is the observed state.
type CustomImageDeployStatus struct {
	api.ReplicaStatus `json:",inline"`

	// address is the host name or IP address of the load balancer of the Ingress. The condition Ready waits for it only if spec.ingressClassName
	// is set, because without a class there may be no controller that sets an address.
	// +optional
	Address string `json:"address,omitempty"`
}

// CustomImageDeployList is a list of CustomImageDeploy objects.
//
// +kubebuilder:object:root=true
type CustomImageDeployList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []CustomImageDeploy `json:"items"`
}
