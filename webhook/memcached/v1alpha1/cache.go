package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// Cache configures memcached. A change replaces the pods. They start empty, unless proxies move the items.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxConnections) || !has(self.threads) || self.maxConnections >= 16 * self.threads",message="maxConnections must be at least 16 per thread, because memcached counts its own open files as connections and does not start with fewer"
// +kubebuilder:validation:XValidation:rule="!has(self.memory) || [self.memory, self.maxItemSize].exists(each, !isQuantity(string(each))) || quantity(string(self.memory)).asApproximateFloat() >= 2.0 * quantity(string(self.maxItemSize)).asApproximateFloat()",message="memory must be at least twice maxItemSize (1Mi by default), because memcached does not start otherwise"
type Cache struct {
	// memory is the memory for items in each server, such as 1Gi (memcached -m). It is rounded down to whole MiB. Defaults to as much as fits
	// under the memory limit in resources, or 64Mi without a limit. With flash, the default without a limit also covers the keys of the items on
	// flash.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('16Mi')) >= 0 && quantity(string(self)).compareTo(quantity('1Ti')) <= 0",message="must be a quantity from 16Mi to 1Ti, such as 64Mi or 1Gi. The units are Mi and Gi, not MB and GB"
	Memory *resource.Quantity `json:"memory,omitempty"`
	// overheadPercent is the additional memory for the metadata of items, as a percentage of memory. The default is enough for items of 160
	// bytes or more on average. Increase it for smaller items.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=400
	OverheadPercent *int64 `json:"overheadPercent,omitempty"`
	// maxConnections is the maximum number of connections to each server and to each proxy (memcached -c). The files that memcached opens count
	// as connections. It must be at least 16 per thread.
	// +optional
	// +kubebuilder:default=1024
	// +kubebuilder:validation:Minimum=64
	// +kubebuilder:validation:Maximum=1000000
	MaxConnections *int64 `json:"maxConnections,omitempty"`
	// threads is the number of worker threads of each server and each proxy (memcached -t). More threads than CPUs do not help.
	// +optional
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Threads *int32 `json:"threads,omitempty"`
	// maxItemSize is the maximum size of an item (memcached -I), such as 512Ki or 8Mi. It must be a multiple of 512Ki and at most half of
	// memory.
	// +optional
	// +kubebuilder:default="1Mi"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('512Ki')) >= 0 && quantity(string(self)).compareTo(quantity('1Gi')) <= 0 && quantity(string(self)).sub(int(quantity(string(self)).asApproximateFloat() / 524288.0 + 0.5) * 524288).compareTo(quantity('0')) == 0",message="must be a multiple of 512Ki from 512Ki to 1Gi, such as 8Mi, because memcached stores large items in chunks of 512Ki and does not start otherwise"
	MaxItemSize *resource.Quantity `json:"maxItemSize,omitempty"`
	// verbosity is the log level of the servers. 0 logs nothing, 1 logs errors and warnings, and 2 also logs every command.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2
	Verbosity *int32 `json:"verbosity,omitempty"`
	// disableEvictions makes a full server return an error instead of evicting old items (memcached -M). It cannot be combined with proxies.
	// +optional
	// +kubebuilder:default=false
	DisableEvictions bool `json:"disableEvictions,omitempty"`
	// extraArgs are additional flags and options of the servers. Each flag and each value is a separate element, for example -f and 1.25. Only
	// some flags are allowed: https://github.com/example/memcached-operator/blob/main/manifests/docs/configure.md#settings-of-memcached
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:XValidation:rule="(self + ',').matches('^(-[A-Za-z-]+(=[0-9.]+)?,|[0-9.]+,|((ext_(compact_under|drop_under|drop_unread|item_age|low_ttl|max_frag|max_sleep|recache_rate)|hash_algorithm|hashpower|hot_(lru_pct|max_factor)|idle_timeout|lru_crawler_(sleep|tocrawl)|modern|no_(hashexpand|lru_crawler|lru_maintainer|modern|slab_reassign)|slab_(automove|automove_freeratio|automove_ratio|automove_window|chunk_max|reassign|sizes)|tail_repair_time|temporary_ttl|track_sizes|warm_(lru_pct|max_factor))(=[0-9A-Za-z.-]+)?,)+)$')",message="must be one flag, one number, or a comma-separated list of -o options that the documentation allows"
	// +kubebuilder:validation:XValidation:rule="self.join(' ').matches('^((-[CFWX]|--disable-(cas|dumping|flush-all|watch)|(-[Rbfn] |--(listen-backlog|max-reqs-per-event|slab-growth-factor|slab-min-size)[ =])[0-9][0-9.]*|-o [a-z][^ ]*)( |$))*$')",message="must only contain -C, -F, -W and -X, the flags -R, -b, -f and -n with a number, their long forms, and -o with options. Each flag and each value must be a separate element"
	ExtraArgs []string `json:"extraArgs,omitempty"`
}
