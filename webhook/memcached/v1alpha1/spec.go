package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// Workload is the kind of object that runs the servers.
//
// +kubebuilder:validation:Enum=Deployment;StatefulSet
type Workload string

const (
	// DeploymentWorkload starts a new pod before it deletes an old pod. A new pod has a new name and address.
	DeploymentWorkload Workload = "Deployment"
	// StatefulSetWorkload keeps the name of each pod. When a pod is replaced, only the keys of this pod miss.
	StatefulSetWorkload Workload = "StatefulSet"
)

// MemcachedSpec is the desired state of a cache.
//
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.workload) ? oldSelf.workload != 'StatefulSet' : !has(oldSelf.proxy)) || (has(self.workload) ? self.workload == 'StatefulSet' : has(self.proxy))",message="spec.workload (Deployment by default without spec.proxy) cannot change to Deployment, because the cache would start empty with other server names. Set spec.workload to StatefulSet"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.workload) ? oldSelf.workload != 'Deployment' : has(oldSelf.proxy)) || has(self.workload) || !has(self.proxy)",message="spec.proxy requires a StatefulSet, but a Deployment runs the pods. Set spec.workload to StatefulSet if the cache may start empty, or create another Memcached"
// +kubebuilder:validation:XValidation:rule="(has(self.workload) ? self.workload != 'StatefulSet' : !has(self.proxy)) || !has(self.rollout.maxSurge) && !has(self.rollout.maxUnavailable)",message="spec.rollout.maxSurge and spec.rollout.maxUnavailable require a Deployment, because a StatefulSet replaces one pod at a time"
// +kubebuilder:validation:XValidation:rule="self.preStopSleepSeconds < (has(self.terminationGracePeriodSeconds) ? self.terminationGracePeriodSeconds : 30)",message="spec.preStopSleepSeconds (5 by default) must be less than spec.terminationGracePeriodSeconds (30 by default), which counts from the start of the sleep"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || self.proxy.preStopSleepSeconds < (has(self.terminationGracePeriodSeconds) ? self.terminationGracePeriodSeconds : 30)",message="spec.proxy.preStopSleepSeconds (2 by default) must be less than spec.terminationGracePeriodSeconds (30 by default), which counts from the start of the sleep"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || !has(self.workload) || self.workload == 'StatefulSet'",message="spec.proxy requires spec.workload StatefulSet, because its pods keep their names. It is the default with proxies"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || !has(self.auth)",message="spec.proxy cannot be combined with spec.auth, because memcached exits if a proxy has passwords. Use client certificates instead: set spec.tls.clientAuth"
// +kubebuilder:validation:XValidation:rule="has(self.proxy) == has(oldSelf.proxy) || !has(oldSelf.tls) && !has(self.tls)",message="spec.proxy cannot be added to a cache with spec.tls, or removed from it, also if the same update sets spec.tls, because servers behind proxies do not use TLS. Create another Memcached, or remove spec.tls first (without proxies, this replaces all pods with empty pods)"
// +kubebuilder:validation:XValidation:rule="!has(self.flash) || [self.cache.maxItemSize, self.flash.writeBuffer].exists(each, !isQuantity(string(each))) || quantity(string(self.cache.maxItemSize)).compareTo(quantity(string(self.flash.writeBuffer))) <= 0",message="spec.cache.maxItemSize (1Mi by default) must not be greater than spec.flash.writeBuffer (16Mi by default), because memcached does not start otherwise"
// +kubebuilder:validation:XValidation:rule="!has(self.flash) || !self.cache.disableEvictions",message="spec.flash cannot be combined with spec.cache.disableEvictions, because memcached always evicts pages from full flash"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || !self.cache.disableEvictions",message="spec.proxy cannot be combined with spec.cache.disableEvictions, because an item that moves needs memory for a second copy"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || !has(self.cache.extraArgs) || !self.cache.extraArgs.exists(arg, arg.matches('^(-[CX]|--disable-(cas|dumping))$|no_(lru_crawler|modern)'))",message="spec.proxy cannot be combined with -C, -X, --disable-cas, --disable-dumping, no_lru_crawler or no_modern in spec.cache.extraArgs, because items move by CAS and by lists of keys"
// +kubebuilder:validation:XValidation:rule="!has(self.flash) || !has(self.cache.extraArgs) || !self.cache.extraArgs.exists(arg, arg.matches('(^|[,=])no_(modern|lru_maintainer|slab_reassign|slab_automove)'))",message="spec.flash cannot be combined with options in spec.cache.extraArgs that disable the LRU maintainer or the slab mover"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || self.proxy.service.type == 'ClusterIP' || has(self.networkPolicy) && (has(self.networkPolicy.enabled) && !self.networkPolicy.enabled || has(self.networkPolicy.from) && self.networkPolicy.from.exists(peer, has(peer.ipBlock)))",message="spec.proxy.service.type requires an ipBlock in spec.networkPolicy.from, because otherwise the NetworkPolicy admits no client from outside the cluster. Add the addresses of these clients, or set spec.networkPolicy.enabled to false"
type MemcachedSpec struct {
	// size is the number of memcached servers, each in a pod. 0 keeps the resource and removes all pods, including proxies. With proxies, more
	// servers run during a change.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Size *int32 `json:"size,omitempty"`
	// image is the image of memcached, for servers and proxies. Defaults to a version of the official image that each release of the operator
	// pins.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="spec.image must be the name of one image: ASCII characters without spaces"
	Image string `json:"image,omitempty"`
	// imagePullPolicy determines when the images of the pods are pulled. Defaults to the default of Kubernetes, which depends on the tag of the
	// image.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`
	// imagePullSecrets lists the Secrets with the credentials of the image registries. They must be in the namespace of the cache. If the
	// operator's image is private, add its Secret too.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(secret, size(secret.name) > 0)",message="each entry must have the name of a Secret"
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// workload is the kind of object that runs the servers. The pods of a StatefulSet keep their names, so only the keys of a replaced pod miss.
	// A change from Deployment to StatefulSet replaces all pods with empty pods. A change from StatefulSet to Deployment is rejected. Defaults to
	// StatefulSet with spec.proxy, and Deployment otherwise.
	// +optional
	Workload Workload `json:"workload,omitempty"`
	// resources are the resources of the memcached container of each server. proxy.resources are those of the proxies. If you set a memory limit
	// and no cache.memory, the cache is as large as fits under the limit. Defaults to the memory limit that cache.memory needs, and a memory
	// request equal to the limit.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.limits) || !('memory' in self.limits) || quantity(string(self.limits['memory'])).compareTo(quantity('1Mi')) >= 0",message="limits.memory must be at least 1Mi"
	// +kubebuilder:validation:XValidation:rule="(!has(self.limits) || size(self.limits) <= 64) && (!has(self.requests) || size(self.requests) <= 64)",message="must have at most 64 limits and 64 requests"
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// helperResources are the resources of each container of the operator: hold, reloader, reach and exporter in the pods, and copy in the Job
	// that moves items. metrics.resources takes precedence for exporters. Defaults to a CPU request of 5m to 50m, a memory request of 32Mi and a
	// memory limit of 64Mi. If resources or proxy.resources limit the CPU, these containers also get a CPU limit of 20 times their request.
	// Otherwise, a quota on limits.cpu would reject the pod.
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!has(self.limits) || size(self.limits) <= 64) && (!has(self.requests) || size(self.requests) <= 64)",message="must have at most 64 limits and 64 requests"
	HelperResources corev1.ResourceRequirements `json:"helperResources,omitzero"`
	// cache configures memcached. A change replaces the pods.
	// +optional
	// +kubebuilder:default={}
	Cache Cache `json:"cache,omitzero"`
	// tls configures the encryption of client connections. With proxies, clients use TLS to the proxies. The proxies connect to the servers
	// without TLS; a network plugin can encrypt this traffic, for example with WireGuard. By default, connections are not encrypted.
	// +optional
	// +nullable
	TLS *TLS `json:"tls,omitempty"`
	// auth configures the authentication of clients. It cannot be combined with proxies. By default, every client that can reach a pod can use
	// it.
	// +optional
	// +nullable
	Auth *Auth `json:"auth,omitempty"`
	// flash extends the memory of each server with a volume on flash storage, such as a local SSD. It cannot be combined with
	// cache.disableEvictions. By default, all items are in memory.
	// +optional
	// +nullable
	Flash *Flash `json:"flash,omitempty"`
	// metrics configures the metrics exporter for Prometheus.
	// +optional
	// +kubebuilder:default={}
	Metrics Metrics `json:"metrics,omitzero"`

	// proxy runs memcached's own proxy between clients and servers. Clients use one address, and changes of the size or the pods keep the items.
	// It requires workload StatefulSet. It cannot be combined with auth, cache.disableEvictions, or -C, -X, no_lru_crawler and no_modern in
	// cache.extraArgs. Use {} for the defaults. By default, there are no proxies.
	// +optional
	// +nullable
	Proxy *Proxy `json:"proxy,omitempty"`

	// rollout configures how fast a change of the pod template replaces pods.
	// +optional
	// +kubebuilder:default={}
	Rollout RolloutOptions `json:"rollout,omitzero"`
	// scaling configures how fast the number of servers follows size. By default, a change of the size is one step.
	// +optional
	// +kubebuilder:default={}
	Scaling Scaling `json:"scaling,omitzero"`

	// service configures the headless Service of the servers. It has the name of the Memcached.
	// +optional
	// +kubebuilder:default={}
	Service Service `json:"service,omitzero"`
	// podDisruptionBudget limits how many servers an eviction, such as a drain of a node, may stop at the same time.
	// +optional
	PodDisruptionBudget PodDisruptionBudget `json:"podDisruptionBudget,omitzero"`
	// networkPolicy limits which peers may connect to the pods. By default, all pods in the same namespace may connect.
	// +optional
	NetworkPolicy NetworkPolicy `json:"networkPolicy,omitzero"`

	// preStopSleepSeconds is how long a terminating server keeps serving, so that clients can notice. 0 disables the wait. With proxies and
	// warm-up, servers ignore this field: they serve until no proxy is connected.
	// +optional
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	PreStopSleepSeconds *int64 `json:"preStopSleepSeconds,omitempty"`
	// terminationGracePeriodSeconds is how long a pod may take to terminate before it is killed, including preStopSleepSeconds. With proxies and
	// warm-up, the items of a server that is being deleted move to a spare in this time. Defaults to 540 for servers with proxies and
	// warm-up, and 30 otherwise.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7200
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty"`

	PodOptions `json:",inline"`
}
