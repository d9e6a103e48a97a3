package v1alpha1

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proxy configures the proxies. They are memcached's own proxy, and give clients one address for all servers. During a change of the size or the
// pods, they move the items to the new servers.
type Proxy struct {
	// replicas is the number of proxy pods.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Replicas *int32 `json:"replicas,omitempty"`
	// resources are the resources of the proxy container. Defaults to requests of 100m CPU and 64Mi memory, and a memory limit that depends on
	// spec.cache.maxConnections and spec.tls: 256Mi for 1024 connections, and 320Mi with TLS.
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!has(self.limits) || size(self.limits) <= 64) && (!has(self.requests) || size(self.requests) <= 64)",message="must have at most 64 limits and 64 requests"
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// service configures the Service of the proxies. Clients connect to it.
	// +optional
	// +kubebuilder:default={}
	Service ProxyService `json:"service,omitzero"`
	// warmup configures how items move during a change of the size or the pods.
	// +optional
	// +kubebuilder:default={}
	Warmup Warmup `json:"warmup,omitzero"`
	// preStopSleepSeconds is how long a terminating proxy keeps serving, so that clients can switch to other proxies. Each phase of a change
	// replaces the proxies, so each phase takes this much longer.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	PreStopSleepSeconds *int64 `json:"preStopSleepSeconds,omitempty"`
	// job configures the Job that moves items during a change.
	// +optional
	Job Job `json:"job,omitzero"`
}

// Job configures the Job that moves items. By default, its pods opt out of the sidecars of Istio, Linkerd, Kuma and Consul. A sidecar that is
// not a native sidecar keeps running after the items have moved, so the Job never completes. If servers and proxies accept only mTLS, the Job
// needs a native sidecar: set the label or annotation of the mesh here.
type Job struct {
	// labels are additional labels of the Job and its pods, such as kueue.x-k8s.io/queue-name. They take precedence over podLabels.
	// +optional
	Labels Labels `json:"labels,omitempty"`
	// annotations are additional annotations of the Job and its pods. They take precedence over podAnnotations.
	// +optional
	Annotations Annotations `json:"annotations,omitempty"`
}

// Warmup configures how items move to other servers. A change of the pods moves all items to new servers, so the cache needs twice its resources
// until the change is complete.
type Warmup struct {
	// enabled moves the items. If it is false, a change of the size does not move items, and a change of the pods replaces them one by one with
	// empty pods.
	// +optional
	// +kubebuilder:default=true
	Enabled *bool `json:"enabled,omitempty"`
	// maxSeconds is the maximum duration of a warm-up. During the warm-up, each item that a client reads moves to its new server, and a Job
	// moves all other items. The warm-up ends earlier if the Job completes. Items that have not moved by then are lost.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	MaxSeconds *int32 `json:"maxSeconds,omitempty"`
	// itemsPerSecond is the maximum number of items per second that the Job reads from each server.
	// +optional
	// +kubebuilder:default=10000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	ItemsPerSecond *int32 `json:"itemsPerSecond,omitempty"`
}

// MovePhase is a phase of a move.
//
// +kubebuilder:validation:Enum=Waiting;AddingServers;Cleaning;Preparing;WarmingUp;Closing;RemovingServers
type MovePhase string

// The phases of a move, in their order. A decrease has Cleaning, and each other move AddingServers.
const (
	// MoveWaiting waits until removed servers, or the proxies of an earlier change, have stopped.
	MoveWaiting MovePhase = "Waiting"
	// MoveAddingServers starts the new servers. It rolls out proxies that use the current servers and expect the change.
	MoveAddingServers MovePhase = "AddingServers"
	// MoveCleaning prepares a decrease. It rolls out proxies that expect the change, and a Job deletes items of earlier changes from the servers
	// that stay.
	MoveCleaning MovePhase = "Cleaning"
	// MovePreparing rolls out proxies that use the current servers and find items that other proxies have moved.
	MovePreparing MovePhase = "Preparing"
	// MoveWarmingUp rolls out proxies that move each item that is read. Then a Job reads all items.
	MoveWarmingUp MovePhase = "WarmingUp"
	// MoveClosing rolls out proxies that use the new servers and move no more items.
	MoveClosing MovePhase = "Closing"
	// MoveRemovingServers rolls out proxies that know only the new servers. Then it removes the servers that no proxy uses.
	MoveRemovingServers MovePhase = "RemovingServers"
)

// ProxyStatus is the observed state of the proxies.
type ProxyStatus struct {
	// address is the host:port that clients connect to. It is empty until the Service of the proxies exists.
	// +optional
	Address string `json:"address"`
	// readyReplicas is the number of proxy pods that are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// servers are the ordinals of the servers in use, such as 0-2 for the first three. Every key belongs to one of them. For example, "0-2, 3 in
	// place of 1" means that server 3 is a spare for the deleted server 1. During WarmingUp, an item can still be on another server.
	// +optional
	Servers string `json:"servers,omitempty"`
	// otherServers are the ordinals of the other servers of a move, in three of its phases. In Preparing, items are about to move. In WarmingUp,
	// items move away from these servers. In Closing, the remaining items on these servers are lost.
	// +optional
	OtherServers string `json:"otherServers,omitempty"`
	// lastChangeTime is the last time at which the servers in use, the phase or the number of servers changed.
	// +optional
	LastChangeTime *metav1.Time `json:"lastChangeTime,omitempty"`
	// move is the change in progress. It is not set if there is none.
	// +optional
	Move *MoveStatus `json:"move,omitempty"`
	// secondsPerServer is how long the last change took per server, including the rollouts of the proxies. A drained server takes about as long
	// to move its items, so its grace period must be longer.
	// +optional
	SecondsPerServer int64 `json:"secondsPerServer,omitempty"`
	// lastDecision is the last decision of the operator. Users do not need it.
	// +optional
	LastDecision ProxyDecision `json:"lastDecision,omitzero"`
}

// ProxyDecision is the last decision of the operator. Users do not need it. If it is lost or edited, a change takes longer.
type ProxyDecision struct {
	// routes is the configuration of the proxies, as in their label memcached-operator.example.com/proxy-routes. 0-2 means three servers. 0-2.1
	// means that a spare has the keys of server 1. 0-2_0-3_warming means a change from servers 0-2 to servers 0-3 in the phase WarmingUp.
	// +optional
	Routes string `json:"routes,omitempty"`
	// observed identifies the rollout of the proxies that this status describes.
	// +optional
	Observed Revision `json:"observed,omitzero"`
}

// MovePurpose is the reason for a move.
//
// +kubebuilder:validation:Enum=Resize;Replace;ToSpare;Return
type MovePurpose string

const (
	// MoveResize is a change of the number of servers.
	MoveResize MovePurpose = "Resize"
	// MoveReplace moves all items to new pods. The pod template has changed, or the size has changed while a spare is in use.
	MoveReplace MovePurpose = "Replace"
	// MoveToSpare moves the items of a server that is being deleted, for example by a drain, to a spare.
	MoveToSpare MovePurpose = "ToSpare"
	// MoveReturn moves the items from the spare back to a server that has started again.
	MoveReturn MovePurpose = "Return"
)

// MoveStatus is a change of the servers in progress.
type MoveStatus struct {
	// for is the reason for the change. Resize changes the number of servers. Replace moves all items to new pods. ToSpare moves the items of a
	// server that is being deleted to a spare. Return moves them back.
	// +required
	For MovePurpose `json:"for,omitempty"`
	// from is the number of servers before the change. In RemovingServers, it is the number of pods.
	// +optional
	From int32 `json:"from"`
	// to is the number of servers after the change.
	// +optional
	To int32 `json:"to"`
	// phase is the current phase.
	// +required
	Phase MovePhase `json:"phase,omitempty"`
	// since is when the phase Preparing started.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// until is when the phase ends at the latest. It is set after the rollout of the phase.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// Revision identifies the state of a child. A status with another revision describes an earlier rollout, or another object of the same name.
type Revision struct {
	// created is the metadata.creationTimestamp of the child.
	// +optional
	Created metav1.Time `json:"created,omitzero"`
	// number is the metadata.generation of the workload, or the revision of the Deployment of the proxies. That revision changes only with the
	// pod template.
	// +optional
	Number int64 `json:"number,omitempty"`
}

// String returns a text that is different for each revision of an object.
func (r Revision) String() string {
	return fmt.Sprintf("%s-%d", r.Created.UTC().Format(time.RFC3339), r.Number)
}

// Equal reports whether both revisions are of the same generation of the same object.
func (r Revision) Equal(other Revision) bool {
	return r.Created.Equal(&other.Created) && r.Number == other.Number
}
