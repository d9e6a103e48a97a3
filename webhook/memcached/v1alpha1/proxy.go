package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proxy configures the proxies, pods of memcached's own proxy that give clients one address for all servers. A change of
// size moves keys to other servers without misses, because the proxies also read the previous list of servers for a while.
type Proxy struct {
	// replicas is the number of proxy pods.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Replicas *int32 `json:"replicas,omitempty"`
	// resources are the resources of the proxy container. Defaults to requests of 100m CPU and 64Mi of memory, and a memory
	// limit of 256Mi.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// warmup configures how a change of size keeps the cache warm.
	// +optional
	Warmup ProxyWarmup `json:"warmup,omitzero"`
}

// ProxyWarmup configures how a change of size keeps the cache warm.
type ProxyWarmup struct {
	// seconds is how long the proxies also read the previous list of servers after a change of size. In this time each key
	// that a client reads moves to its new server. 0 disables the warm-up. Defaults to 600.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	Seconds *int32 `json:"seconds,omitempty"`
}

// ResizePhase is a phase of a change of size with proxies.
//
// +kubebuilder:validation:Enum=AddingServers;Preparing;WarmingUp;RemovingServers
type ResizePhase string

// The phases of a change of size, in their order.
const (
	// ResizeAddingServers waits for new servers, which no proxy uses yet.
	ResizeAddingServers ResizePhase = "AddingServers"
	// ResizePreparing rolls out proxies that read and write the current servers, and also delete from the new ones.
	ResizePreparing ResizePhase = "Preparing"
	// ResizeWarmingUp rolls out proxies that use the new servers and read misses from the previous ones. Then the warm-up
	// begins.
	ResizeWarmingUp ResizePhase = "WarmingUp"
	// ResizeRemovingServers rolls out proxies without the previous servers. Then it removes servers that no proxy uses.
	ResizeRemovingServers ResizePhase = "RemovingServers"
)

// ProxyStatus is the observed state of the proxies.
type ProxyStatus struct {
	// address is the host:port at which clients reach the proxies.
	// +optional
	Address string `json:"address"`
	// readyReplicas is the number of proxy pods that are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// servers is the number of servers that the proxies use: the first pods of the StatefulSet.
	// +optional
	Servers int32 `json:"servers"`
	// previousServers is the number of servers in the second list of the proxies, which they read after a miss.
	// +optional
	PreviousServers int32 `json:"previousServers,omitempty"`
	// lastChangeTime is when servers, previousServers or the number of memcached pods changed last.
	// +optional
	LastChangeTime *metav1.Time `json:"lastChangeTime,omitempty"`
	// resize is the change of size that is under way.
	// +optional
	Resize *ResizeStatus `json:"resize,omitempty"`
}

// ResizeStatus is a change of size that is under way.
type ResizeStatus struct {
	// from is the number of servers before the change.
	// +optional
	From int32 `json:"from"`
	// to is the number of servers after the change.
	// +optional
	To int32 `json:"to"`
	// phase is the current phase.
	// +required
	Phase ResizePhase `json:"phase,omitempty"`
	// until is when the warm-up ends. It is set once all proxies use the new servers.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}
