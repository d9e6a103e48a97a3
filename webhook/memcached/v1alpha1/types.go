package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

// Memcached is a cache of one or more memcached servers. Clients distribute the keys over the servers by hashing. With spec.proxy, proxies do
// this for them.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=mc,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.spec.size
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Status,type=string,description="The reason of the condition Ready",JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Risk,type=string,description="The reason of the condition AtRisk",JSONPath=`.status.conditions[?(@.type=="AtRisk")].reason`
// +kubebuilder:printcolumn:name=Memory,type=string,priority=1,description="The memory for items in each pod",JSONPath=.status.memory.items
// +kubebuilder:printcolumn:name=Image,type=string,priority=1,description="The image of memcached",JSONPath=.status.image
// +kubebuilder:printcolumn:name=Proxies,type=integer,priority=1,description="Ready proxies",JSONPath=.status.proxy.readyReplicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be at most 63 lower case letters, digits and dashes, start with a letter and end with a letter or digit, because pods have it as a label, and a Service may have the same name"
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.endsWith('-proxy') && !self.metadata.name.endsWith('-move')",message="metadata.name must not end with -proxy or -move, because the children of another Memcached may have this name"
// +kubebuilder:validation:XValidation:rule="(has(self.spec.workload) ? self.spec.workload != 'StatefulSet' : !has(self.spec.proxy)) || size(self.metadata.name) <= 52",message="metadata.name must have at most 52 characters for a StatefulSet, because its pods have a label with the name and a hash"
type Memcached struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state.
	// +required
	Spec MemcachedSpec `json:"spec,omitzero"`
	// status is the observed state. observedGeneration is -1 until the first sync.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status MemcachedStatus `json:"status,omitzero"`
}

// MemcachedStatus is the observed state of a cache.
type MemcachedStatus struct {
	api.ReplicaStatus `json:",inline"`

	// updatedReplicas is the number of pods that have the current pod template.
	// +optional
	UpdatedReplicas int32 `json:"updatedReplicas"`
	// servers are the host:port of each server, in a stable order, for client libraries. For a StatefulSet, they are the names of all pods,
	// ready or not, so that a replaced pod keeps its place. For a Deployment, they are the addresses of the ready pods. With proxies, clients
	// use proxy.address instead.
	// +optional
	// +listType=atomic
	Servers []string `json:"servers"`
	// image is the image of memcached in the pod template of the servers. An upgrade of the operator does not change it.
	// +optional
	Image string `json:"image,omitempty"`
	// memory is the memory of each server.
	// +optional
	Memory MemoryStatus `json:"memory,omitzero"`
	// scaling is the last step of a change of size. It is set if spec.scaling.maxStep is set.
	// +optional
	Scaling *ScalingStatus `json:"scaling,omitempty"`
	// proxy is the observed state of the proxies. It is set while spec.proxy is set or proxies still run.
	// +optional
	Proxy *ProxyStatus `json:"proxy,omitempty"`
}

// MemoryStatus is the memory of one server.
type MemoryStatus struct {
	// items is the memory for items.
	// +optional
	Items resource.Quantity `json:"items"`
	// limit is the memory limit of the memcached container.
	// +optional
	Limit resource.Quantity `json:"limit"`
	// flash is the part of the volume that memcached uses for items. It is set if spec.flash is set.
	// +optional
	Flash *resource.Quantity `json:"flash,omitempty"`
}

// ScalingStatus is the last step of a change of size.
type ScalingStatus struct {
	// replicas is the number of servers after the last step.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Replicas int32 `json:"replicas"`
	// lastStepTime is the time of the last step, or the time at which the operator first observed the current workload. The next step follows at
	// least spec.scaling.stepIntervalSeconds later.
	// +optional
	LastStepTime *metav1.Time `json:"lastStepTime,omitempty"`
	// observed identifies the workload, or the Deployment of the proxies, that this status describes.
	// +optional
	Observed Revision `json:"observed,omitzero"`
}

// MemcachedList is a list of Memcached objects.
//
// +kubebuilder:object:root=true
type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Memcached `json:"items"`
}
