package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// Workload is the kind of child that runs the pods.
//
// +kubebuilder:validation:Enum=Deployment;StatefulSet
type Workload string

const (
	// DeploymentWorkload starts a new pod before it deletes an old one. A new pod has a new name and address.
	DeploymentWorkload Workload = "Deployment"
	// StatefulSetWorkload keeps the name of each pod. When a pod is replaced, clients lose only its share of the keys.
	StatefulSetWorkload Workload = "StatefulSet"
)

// MemcachedSpec is the desired state of a cache.
//
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.workload) ? oldSelf.workload != 'StatefulSet' : !has(oldSelf.proxy)) || (has(self.workload) ? self.workload == 'StatefulSet' : has(self.proxy))",message="spec.workload (Deployment by default without spec.proxy) cannot become Deployment, because the cache would start empty under other names: set it to StatefulSet"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.workload) ? oldSelf.workload != 'Deployment' : has(oldSelf.proxy)) || has(self.workload) || !has(self.proxy)",message="spec.proxy needs a StatefulSet, but the pods are those of a Deployment: set spec.workload to StatefulSet if the cache may start empty once, or create another Memcached"
// +kubebuilder:validation:XValidation:rule="(has(self.workload) ? self.workload != 'StatefulSet' : !has(self.proxy)) || !has(self.rollout.maxSurge) && !has(self.rollout.maxUnavailable)",message="spec.rollout.maxSurge and spec.rollout.maxUnavailable require a Deployment: a StatefulSet replaces one pod at a time"
// +kubebuilder:validation:XValidation:rule="self.preStopSleepSeconds < (has(self.terminationGracePeriodSeconds) ? self.terminationGracePeriodSeconds : 30)",message="spec.preStopSleepSeconds (5 by default) must be less than spec.terminationGracePeriodSeconds (30 by default), which counts from the start of the sleep"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || self.proxy.preStopSleepSeconds < (has(self.terminationGracePeriodSeconds) ? self.terminationGracePeriodSeconds : 30)",message="spec.proxy.preStopSleepSeconds (2 by default) must be less than spec.terminationGracePeriodSeconds (30 by default), which counts from the start of the sleep"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || !has(self.workload) || self.workload == 'StatefulSet'",message="spec.proxy requires spec.workload StatefulSet, the default with proxies: its pods keep the names that the proxies use"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || !has(self.auth)",message="spec.proxy cannot be combined with spec.auth: memcached exits if a proxy has passwords. Identify clients by their certificates: spec.tls.clientAuth"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || has(oldSelf.proxy) || !has(oldSelf.tls)",message="spec.proxy cannot be added to a cache with spec.tls, because the proxies cannot read servers that serve with TLS: create another Memcached, or remove spec.tls first, which replaces all pods with empty ones"
// +kubebuilder:validation:XValidation:rule="!has(self.flash) || [self.cache.maxItemSize, self.flash.writeBuffer].exists(each, !isQuantity(string(each))) || quantity(string(self.cache.maxItemSize)).compareTo(quantity(string(self.flash.writeBuffer))) <= 0",message="spec.cache.maxItemSize (1Mi by default) must not be greater than spec.flash.writeBuffer (16Mi by default): memcached does not start otherwise"
// +kubebuilder:validation:XValidation:rule="!has(self.flash) || !self.cache.disableEvictions",message="spec.flash cannot be combined with spec.cache.disableEvictions: a full flash evicts pages in any case"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || !self.cache.disableEvictions",message="spec.proxy cannot be combined with spec.cache.disableEvictions: memcached needs room for a second copy of an item that moves"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || !has(self.cache.extraArgs) || !self.cache.extraArgs.exists(arg, arg.matches('^(-[CX]|--disable-(cas|dumping))$|no_(lru_crawler|modern)'))",message="spec.proxy needs CAS uniques and listings of items, so spec.cache.extraArgs must have neither -C, -X, --disable-cas, --disable-dumping, no_lru_crawler nor no_modern"
// +kubebuilder:validation:XValidation:rule="!has(self.flash) || !has(self.cache.extraArgs) || !self.cache.extraArgs.exists(arg, arg.matches('(^|[,=])no_(modern|lru_maintainer|slab_reassign|slab_automove)'))",message="spec.flash needs memcached's LRU maintainer and slab mover, so spec.cache.extraArgs must not disable them"
// +kubebuilder:validation:XValidation:rule="!has(self.proxy) || self.proxy.service.type == 'ClusterIP' || has(self.networkPolicy) && (has(self.networkPolicy.enabled) && !self.networkPolicy.enabled || has(self.networkPolicy.from) && self.networkPolicy.from.exists(peer, has(peer.ipBlock)))",message="spec.proxy.service.type needs an ipBlock in spec.networkPolicy.from, because the NetworkPolicy otherwise admits no client outside of the cluster: list their addresses, or set spec.networkPolicy.enabled to false"
type MemcachedSpec struct {
	// size is the number of memcached pods. 0 keeps the resource and runs no pods.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Size *int32 `json:"size,omitempty"`
	// image is the image of memcached. Defaults to a version of the official image that is fixed in each release of the
	// operator.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="spec.image must be the name of one image: ASCII characters without blanks"
	Image string `json:"image,omitempty"`
	// imagePullPolicy is when the images of the pods are pulled. Defaults to the default of Kubernetes, which depends on the
	// tag of the image.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`
	// imagePullSecrets lists the Secrets with the credentials of the image registries, in the namespace of the cache. They
	// include that of the operator's image if it is private.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(secret, size(secret.name) > 0)",message="each entry must have the name of a Secret"
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// workload is the kind of object that runs the pods: Deployment or StatefulSet. The pods of a StatefulSet keep their
	// names, so clients lose only the keys of a pod that is replaced. Defaults to StatefulSet with spec.proxy, and to Deployment
	// without it. A change from Deployment to StatefulSet replaces all pods with empty ones. The other direction is refused.
	// +optional
	Workload Workload `json:"workload,omitempty"`
	// resources are the resources of the memcached container. With a memory limit and no cache.memory, the cache is as
	// large as fits under the limit. The memory limit defaults to what cache.memory needs, and the memory request to the
	// limit.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.limits) || !('memory' in self.limits) || quantity(string(self.limits['memory'])).compareTo(quantity('1Mi')) >= 0",message="limits.memory must be at least 1Mi"
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// helperResources are the resources of each container of the operator: hold, reloader, reach and exporter in the pods, and copy
	// in those of the Job that moves items. metrics.resources has precedence. Defaults to a request of 5m to 50m CPU, a request of
	// 32Mi and a limit of 64Mi of memory. Next to a container whose CPU is limited by resources or proxy.resources, they have a limit
	// of 20 times the request, because a quota on limits.cpu refuses a pod if one container has none.
	// +optional
	HelperResources corev1.ResourceRequirements `json:"helperResources,omitzero"`
	// cache configures memcached.
	// +optional
	// +kubebuilder:default={}
	Cache Cache `json:"cache,omitzero"`
	// tls configures the encryption of client connections. By default connections are not encrypted. With proxies, clients connect to the
	// proxies. These connect to the servers without TLS, within the NetworkPolicy; the network plugin can encrypt that, for example with
	// WireGuard.
	// +optional
	// +nullable
	TLS *TLS `json:"tls,omitempty"`
	// auth configures the authentication of clients. By default every client that can reach a pod may use it.
	// +optional
	// +nullable
	Auth *Auth `json:"auth,omitempty"`
	// flash extends the memory of each pod with a volume on flash storage, such as a local SSD. It cannot be combined with
	// cache.disableEvictions. By default all items are in memory.
	// +optional
	// +nullable
	Flash *Flash `json:"flash,omitempty"`
	// metrics configures the metrics exporter for Prometheus.
	// +optional
	// +kubebuilder:default={}
	Metrics Metrics `json:"metrics,omitzero"`

	// proxy runs memcached's own proxy between clients and servers: one address for all clients, and changes without
	// misses. It needs workload StatefulSet, and cannot be combined with auth, cache.disableEvictions, nor with -C, -X,
	// no_lru_crawler and no_modern in cache.extraArgs. Use {} for its defaults. By default there is no proxy.
	// +optional
	// +nullable
	Proxy *Proxy `json:"proxy,omitempty"`

	// rollout configures how fast pods are replaced after a change of the pod template.
	// +optional
	// +kubebuilder:default={}
	Rollout RolloutOptions `json:"rollout,omitzero"`
	// scaling configures how fast the number of pods follows size. By default a change of size is one step.
	// +optional
	// +kubebuilder:default={}
	Scaling Scaling `json:"scaling,omitzero"`

	// service configures the headless Service by which clients find the pods. It has the name of the Memcached.
	// +optional
	// +kubebuilder:default={}
	Service Service `json:"service,omitzero"`
	// podDisruptionBudget limits how many pods a drain of nodes may evict at the same time.
	// +optional
	PodDisruptionBudget PodDisruptionBudget `json:"podDisruptionBudget,omitzero"`
	// networkPolicy limits which peers may connect to the pods. Defaults to all pods in the same namespace.
	// +optional
	NetworkPolicy NetworkPolicy `json:"networkPolicy,omitzero"`

	// preStopSleepSeconds is how long a terminating pod keeps serving before memcached stops, so that clients can notice. 0
	// disables the wait. With proxies and warm-up, pods do not sleep: they serve until no proxy is connected.
	// +optional
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	PreStopSleepSeconds *int64 `json:"preStopSleepSeconds,omitempty"`
	// terminationGracePeriodSeconds is how long a pod may take to terminate before it is killed, including
	// preStopSleepSeconds. Defaults to 30, and to 540 for servers with proxies and warm-up: in this time their items move to other
	// servers.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7200
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty"`

	PodOptions `json:",inline"`
}
