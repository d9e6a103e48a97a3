package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// Cache configures memcached.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxConnections) || !has(self.threads) || self.maxConnections >= 16 * self.threads",message="maxConnections must be at least 16 per thread: memcached counts its own open files as connections and does not start with too few"
// +kubebuilder:validation:XValidation:rule="!has(self.memory) || [self.memory, self.maxItemSize].exists(each, !isQuantity(string(each))) || quantity(string(self.memory)).asApproximateFloat() >= 2.0 * quantity(string(self.maxItemSize)).asApproximateFloat()",message="memory must be at least twice maxItemSize (1Mi by default): memcached does not start otherwise"
type Cache struct {
	// memory is the memory for items in each pod, such as 1Gi (memcached -m). It is rounded down to whole MiB. Defaults to
	// what fits under the memory limit in resources, without a memory limit to 64Mi, and with flash to what the keys of the
	// items on flash need in addition.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('16Mi')) >= 0 && quantity(string(self)).compareTo(quantity('1Ti')) <= 0",message="must be a quantity from 16Mi to 1Ti, such as 64Mi or 1Gi: the units are Mi and Gi, not MB and GB"
	Memory *resource.Quantity `json:"memory,omitempty"`
	// overheadPercent is the additional memory for the metadata of items, in percent of memory. The default is enough for
	// items of 160 bytes or more on average. Increase it for smaller items.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=400
	OverheadPercent *int64 `json:"overheadPercent,omitempty"`
	// maxConnections is the maximum number of concurrent connections to each pod (memcached -c). The files that memcached
	// itself opens count too. It must be at least 16 per thread.
	// +optional
	// +kubebuilder:default=1024
	// +kubebuilder:validation:Minimum=64
	// +kubebuilder:validation:Maximum=1000000
	MaxConnections *int64 `json:"maxConnections,omitempty"`
	// threads is the number of worker threads (memcached -t). More threads than CPUs do not help.
	// +optional
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Threads *int32 `json:"threads,omitempty"`
	// maxItemSize is the maximum size of an item (memcached -I), such as 512Ki or 8Mi. It must be a multiple of 512Ki and at
	// most half of memory.
	// +optional
	// +kubebuilder:default="1Mi"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('512Ki')) >= 0 && quantity(string(self)).compareTo(quantity('1Gi')) <= 0 && quantity(string(self)).sub(int(quantity(string(self)).asApproximateFloat() / 524288.0 + 0.5) * 524288).compareTo(quantity('0')) == 0",message="must be a quantity that is a multiple of 512Ki from 512Ki to 1Gi, such as 8Mi: memcached stores large items in chunks of 512Ki and does not start otherwise"
	MaxItemSize *resource.Quantity `json:"maxItemSize,omitempty"`
	// verbosity is the log level: 0 logs nothing, 1 logs errors and warnings, 2 also logs every command.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2
	Verbosity *int32 `json:"verbosity,omitempty"`
	// disableEvictions makes a full memcached return an error instead of evicting old items (memcached -M).
	// +optional
	// +kubebuilder:default=false
	DisableEvictions bool `json:"disableEvictions,omitempty"`
	// extraArgs are additional flags and options of memcached. Each flag and each value is a separate element, such as -f, 1.25.
	// Only the flags and options in the documentation are allowed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:XValidation:rule="(self + ',').matches('^(-[A-Za-z-]+(=[0-9.]+)?,|[0-9.]+,|((ext_(compact_under|drop_under|drop_unread|item_age|low_ttl|max_frag|max_sleep|recache_rate)|hash_algorithm|hashpower|hot_(lru_pct|max_factor)|idle_timeout|lru_crawler_(sleep|tocrawl)|modern|no_(hashexpand|lru_crawler|lru_maintainer|modern|slab_reassign)|slab_(automove|automove_freeratio|automove_ratio|automove_window|chunk_max|reassign|sizes)|tail_repair_time|temporary_ttl|track_sizes|warm_(lru_pct|max_factor))(=[0-9A-Za-z.-]+)?,)+)$')",message="must be one flag, one number, or options of -o that the documentation allows, separated by commas"
	// +kubebuilder:validation:XValidation:rule="self.join(' ').matches('^((-[CFWX]|--disable-(cas|dumping|flush-all|watch)|(-[Rbfn] |--(listen-backlog|max-reqs-per-event|slab-growth-factor|slab-min-size)[ =])[0-9][0-9.]*|-o [a-z][^ ]*)( |$))*$')",message="may only have -C, -F, -W, -X, -R, -b, -f and -n with a number, their long forms, and -o with options; each flag and each value is an element"
	ExtraArgs []string `json:"extraArgs,omitempty"`
}
