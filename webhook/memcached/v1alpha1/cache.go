package v1alpha1

// Cache configures memcached.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxItemSize) || self.maxItemSize.endsWith('m') || int(self.maxItemSize.split('k')[0]) % 512 == 0",message="maxItemSize must be a multiple of 512k: memcached stores large items in chunks of 512k and does not start otherwise"
// +kubebuilder:validation:XValidation:rule="(has(self.maxConnections) ? self.maxConnections : 1024) >= 16 * (has(self.threads) ? self.threads : 4)",message="maxConnections must be at least 16 per thread: memcached counts its own open files as connections and does not start with too few"
type Cache struct {
	// memoryMB is the memory for items in each pod, in MiB (memcached -m). Defaults to what fits under the memory limit in
	// resources. Without a memory limit it defaults to 64, and with flash to what the keys of the items on flash need more.
	// +optional
	// +kubebuilder:validation:Minimum=16
	// +kubebuilder:validation:Maximum=1048576
	MemoryMB *int64 `json:"memoryMB,omitempty"`
	// overheadPercent is the additional memory for the metadata of items, in percent of memoryMB. Defaults to 10, which is
	// enough for items of 160 bytes or more on average. Increase it for smaller items.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=400
	OverheadPercent *int64 `json:"overheadPercent,omitempty"`
	// maxConnections is the maximum number of concurrent connections to each pod (memcached -c). The files that memcached
	// itself opens count too. It must be at least 16 per thread. Defaults to 1024.
	// +optional
	// +kubebuilder:validation:Minimum=64
	// +kubebuilder:validation:Maximum=1000000
	MaxConnections *int64 `json:"maxConnections,omitempty"`
	// threads is the number of worker threads (memcached -t). More threads than CPUs do not help. Defaults to 4.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Threads *int32 `json:"threads,omitempty"`
	// maxItemSize is the maximum size of an item (memcached -I), such as 512k or 8m. It must be a multiple of 512k and at
	// most half of memoryMB. Defaults to 1m.
	// +optional
	// +kubebuilder:validation:MaxLength=7
	// +kubebuilder:validation:Pattern=`^([1-9][0-9]{0,2}|10[01][0-9]|102[0-4])m$|^[1-9][0-9]{2,5}k$`
	MaxItemSize string `json:"maxItemSize,omitempty"`
	// verbosity is the log level: 0 logs nothing, 1 logs errors and warnings, 2 also logs every command. Defaults to 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2
	Verbosity *int32 `json:"verbosity,omitempty"`
	// disableEvictions makes a full memcached return an error instead of evicting old items (memcached -M). Defaults to
	// false.
	// +optional
	DisableEvictions bool `json:"disableEvictions,omitempty"`
	// extraArgs are additional flags and options of memcached. Each flag and each value is a separate element, such as -f, 1.25.
	// Only the flags and options in the documentation are allowed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:Pattern=`^[0-9A-Za-z_.,=-]+$`
	// +kubebuilder:validation:XValidation:rule="self.join(' ').matches('^((-[CFWX]|--disable-(cas|dumping|flush-all|watch)|(-[Rbfn] |--(listen-backlog|max-reqs-per-event|slab-growth-factor|slab-min-size)[ =])[0-9][0-9.]*|-o([ ,](ext_(compact_under|drop_under|drop_unread|item_age|low_ttl|max_frag|max_sleep|recache_rate)|hash_algorithm|hashpower|hot_(lru_pct|max_factor)|idle_timeout|lru_crawler_(sleep|tocrawl)|modern|no_(hashexpand|lru_crawler|lru_maintainer|modern|slab_reassign)|slab_(automove|automove_freeratio|automove_ratio|automove_window|chunk_max|reassign|sizes)|tail_repair_time|temporary_ttl|track_sizes|warm_(lru_pct|max_factor))(=[0-9A-Za-z.-]+)?)+)( |$))*$')",message="may only have -C, -F, -W, -X, -R, -b, -f and -n with a number, their long forms, and -o with the options of the documentation; each flag and each value is an element"
	ExtraArgs []string `json:"extraArgs,omitempty"`
}
