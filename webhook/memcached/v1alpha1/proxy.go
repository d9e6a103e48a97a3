package v1alpha1

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proxy configures the proxies, pods of memcached's own proxy that give clients one address for all servers. A change of
// size moves keys to other servers without misses, because for a while the proxies also read the servers of the earlier size.
type Proxy struct {
	// replicas is the number of proxy pods.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Replicas *int32 `json:"replicas,omitempty"`
	// resources are the resources of the proxy container. Defaults to requests of 100m CPU and 64Mi of memory, and a memory
	// limit that follows from spec.cache.maxConnections and spec.tls: 256Mi for 1024 connections, and 320Mi with TLS.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// service configures the Service of the proxies, at which clients connect.
	// +optional
	// +kubebuilder:default={}
	Service ProxyService `json:"service,omitzero"`
	// warmup keeps the items during a change of size or of the pods.
	// +optional
	// +kubebuilder:default={}
	Warmup Warmup `json:"warmup,omitzero"`
	// preStopSleepSeconds is how long a terminating proxy keeps serving, so that clients get the addresses of the others. Each phase of
	// a change replaces the proxies, and so waits for it.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	PreStopSleepSeconds *int64 `json:"preStopSleepSeconds,omitempty"`
	// job configures the Job that moves items during a change.
	// +optional
	Job Job `json:"job,omitzero"`
}

// Job configures the Job that moves items. Its pods ask Istio, Linkerd, Kuma and Consul for no sidecar: one that is not a native sidecar
// runs on when the items are moved, so that the Job never ends. Where servers and proxies accept nothing but mTLS, the Job needs the mesh
// with native sidecars: set the label or annotation of the mesh here.
type Job struct {
	// labels are additional labels of the Job and of its pods, such as kueue.x-k8s.io/queue-name. They have precedence over podLabels.
	// +optional
	Labels Labels `json:"labels,omitempty"`
	// annotations are additional annotations of the Job and of its pods. They have precedence over podAnnotations.
	// +optional
	Annotations Annotations `json:"annotations,omitempty"`
}

// Warmup configures how items move to other servers. After a change of the pods, these are new ones, so that the cache needs the resources
// of both in the meantime.
type Warmup struct {
	// enabled moves the items. If it is false, a change of size leaves them behind, and changed pods are replaced one after the other
	// and start empty.
	// +optional
	// +kubebuilder:default=true
	Enabled *bool `json:"enabled,omitempty"`
	// maxSeconds is the longest time for which the proxies also read the servers from which items move. In this time each item that a
	// client uses moves to its new server, and a Job moves all others. The warm-up ends when the Job is complete.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	MaxSeconds *int32 `json:"maxSeconds,omitempty"`
	// itemsPerSecond limits how many items per second the Job reads from each server.
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
	// MoveWaiting waits until removed servers, or proxies of an earlier change, have stopped.
	MoveWaiting MovePhase = "Waiting"
	// MoveAddingServers starts new servers, and rolls out proxies that use the servers before the change and expect it.
	MoveAddingServers MovePhase = "AddingServers"
	// MoveCleaning rolls out such proxies before a decrease. A Job deletes items of earlier changes from the servers that stay.
	MoveCleaning MovePhase = "Cleaning"
	// MovePreparing rolls out proxies that use the servers before the change, and find items that other proxies move.
	MovePreparing MovePhase = "Preparing"
	// MoveWarmingUp rolls out proxies that move each item that is read. Then the warm-up begins, and a Job reads all items.
	MoveWarmingUp MovePhase = "WarmingUp"
	// MoveClosing rolls out proxies that use the servers after the change, and move no item.
	MoveClosing MovePhase = "Closing"
	// MoveRemovingServers rolls out proxies that know the servers after the change alone. Then it removes servers that no proxy uses.
	MoveRemovingServers MovePhase = "RemovingServers"
)

// ProxyStatus is the observed state of the proxies.
type ProxyStatus struct {
	// address is the host:port at which clients reach the proxies. It is empty until their Service exists.
	// +optional
	Address string `json:"address"`
	// readyReplicas is the number of proxy pods that are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// servers are the ordinals of the pods that serve, such as 0-2 for the first three pods: every key belongs to one of them. "0-2, 3 in
	// place of 1" has a spare for a pod that was deleted. During WarmingUp, an item can still be on another server, until a client or the
	// Job reads it.
	// +optional
	Servers string `json:"servers,omitempty"`
	// otherServers are the ordinals of the pods that the proxies know too during three phases of a move. In Preparing, items are about
	// to move to those that do not serve; in WarmingUp, items move away from them; in Closing, the items that have not moved are given up.
	// +optional
	OtherServers string `json:"otherServers,omitempty"`
	// lastChangeTime is when the servers of the proxies, their phase or the number of memcached pods changed last.
	// +optional
	LastChangeTime *metav1.Time `json:"lastChangeTime,omitempty"`
	// move is the change of the servers that is under way.
	// +optional
	Move *MoveStatus `json:"move,omitempty"`
	// secondsPerServer is how long the last change would have taken for one server, with its rollouts. A server that is drained needs about
	// as long, within its grace period.
	// +optional
	SecondsPerServer int64 `json:"secondsPerServer,omitempty"`
	// lastDecision is what only the operator reads. It also reads move.
	// +optional
	LastDecision ProxyDecision `json:"lastDecision,omitzero"`
}

// ProxyDecision is the last decision of the operator. No user needs it: the other fields of the status report all that is observed. If it
// is lost or edited, a move takes longer.
type ProxyDecision struct {
	// routes are what the proxies do, as their label memcached-operator.example.com/proxy-routes has it: 0-2 for three servers, 0-2.1 if
	// a spare has the keys of 1, or 0-2_0-3_warming with the servers before and after a move, and its phase.
	// +optional
	Routes string `json:"routes,omitempty"`
	// observed identifies the rollout of the proxies from which the status of the proxies follows.
	// +optional
	Observed Revision `json:"observed,omitzero"`
}

// MovePurpose is why items move to other servers.
//
// +kubebuilder:validation:Enum=Resize;Replace;ToSpare;Return
type MovePurpose string

const (
	// MoveResize is a change of the number of servers.
	MoveResize MovePurpose = "Resize"
	// MoveReplace moves all items to new pods: the pod template has changed, or the size has while a spare is in use.
	MoveReplace MovePurpose = "Replace"
	// MoveToSpare is for a server that is being deleted, for example because its node is drained: its items move to a spare.
	MoveToSpare MovePurpose = "ToSpare"
	// MoveReturn is for a server that has started again: its items move back from the spare.
	MoveReturn MovePurpose = "Return"
)

// MoveStatus is a change of the servers that is under way.
type MoveStatus struct {
	// for is why the servers change. Resize adds or removes servers, and Replace moves all items to new pods that have the desired pod
	// template. ToSpare moves the items of a server that is being deleted to a spare, and Return moves them back.
	// +required
	For MovePurpose `json:"for,omitempty"`
	// from is the number of servers before the change; in RemovingServers, that of the pods.
	// +optional
	From int32 `json:"from"`
	// to is the number of servers after the change.
	// +optional
	To int32 `json:"to"`
	// phase is the current phase.
	// +required
	Phase MovePhase `json:"phase,omitempty"`
	// since is when Preparing began.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// until is when the phase ends: the end of the warm-up, or the removal of servers. It is set once the rollout of the phase has
	// finished.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// Revision identifies a state of a child. A status of another revision is of an earlier rollout, or of another object of the
// same name.
type Revision struct {
	// created is metadata.creationTimestamp of the child.
	// +optional
	Created metav1.Time `json:"created,omitzero"`
	// number is metadata.generation of the workload of the servers. For the Deployment of the proxies, it is the number of its rollout,
	// which changes with the pod template alone.
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
