package v1alpha1

// Cache sets memcached itself.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxItemSize) || self.maxItemSize.endsWith('m') || int(self.maxItemSize.split('k')[0]) % 512 == 0",message="maxItemSize must be a multiple of 512k: memcached keeps large items in pieces of 512k, and does not start otherwise"
// +kubebuilder:validation:XValidation:rule="(has(self.maxConnections) ? self.maxConnections : 1024) >= 16 * (has(self.threads) ? self.threads : 4)",message="maxConnections must be at least 16 for each of the threads: memcached counts its own open files among the connections, and does not start with too few"
type Cache struct {
	// memoryMB is how many MiB of items one memcached keeps: its -m. By default, what fits under the memory limit of
	// resources; without one, 64.
	// +optional
	// +kubebuilder:validation:Minimum=16
	// +kubebuilder:validation:Maximum=1048576
	MemoryMB *int64 `json:"memoryMB,omitempty"`
	// overheadPercent is how much memory is set aside for each item's bookkeeping, in percent of memoryMB. The default
	// of 10 is enough for items of 160 bytes and up on average; raise it for smaller ones.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=400
	OverheadPercent *int64 `json:"overheadPercent,omitempty"`
	// maxConnections is how many connections one memcached takes at once: its -c. By default 1024; at least 16 for each
	// thread, and the files that a thread itself needs count too.
	// +optional
	// +kubebuilder:validation:Minimum=64
	// +kubebuilder:validation:Maximum=1000000
	MaxConnections *int64 `json:"maxConnections,omitempty"`
	// threads is how many threads serve them: memcached's -t. By default 4; more than there are CPUs is of no use.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Threads *int32 `json:"threads,omitempty"`
	// maxItemSize is the size of the largest item: memcached's -I, as 512k or 8m. By default 1m. At most half of
	// memoryMB, and a multiple of 512k.
	// +optional
	// +kubebuilder:validation:MaxLength=7
	// +kubebuilder:validation:Pattern=`^([1-9][0-9]{0,2}|10[01][0-9]|102[0-4])m$|^[1-9][0-9]{2,5}k$`
	MaxItemSize string `json:"maxItemSize,omitempty"`
	// verbosity is how much memcached logs: 0 nothing, 1 errors and warnings, 2 every command as well. By default 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2
	Verbosity *int32 `json:"verbosity,omitempty"`
	// disableEvictions makes a full memcached answer an error where it would drop its oldest items: its -M.
	// +optional
	DisableEvictions bool `json:"disableEvictions,omitempty"`
	// extraArgs are more arguments for memcached, each flag and each value an element of its own. A flag that has a field
	// of its own is refused, and so is one that would take the server out of reach.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.all(arg, !arg.startsWith('-') || arg.matches('^-[A-Za-z]$') || arg.matches('^--[a-z][a-z-]+(=.*)?$'))",message="each flag and each value must be an element of its own, as in -f, 1.25: flags or values that are joined to a short flag are refused"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-m'] || arg.startsWith('--') && ['--memory-limit'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="how much memory items may take is set with spec.cache.memoryMB"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-c'] || arg.startsWith('--') && ['--conn-limit'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="the number of connections is set with spec.cache.maxConnections"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-t'] || arg.startsWith('--') && ['--threads'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="the number of threads is set with spec.cache.threads"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-I'] || arg.startsWith('--') && ['--max-item-size'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="the size of the largest item is set with spec.cache.maxItemSize"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-v'] || arg.startsWith('--') && ['--verbose'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="how much is logged is set with spec.cache.verbosity"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-M'] || arg.startsWith('--') && ['--disable-evictions'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="evictions are turned off with spec.cache.disableEvictions"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-p', '-U', '-l', '-s', '-a'] || arg.startsWith('--') && ['--port', '--udp-port', '--listen', '--unix-socket', '--unix-mask'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="where memcached listens is fixed: clients, probes and policies count on TCP port 11211"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-S', '-Y', '-Z'] || arg.startsWith('--') && ['--enable-sasl', '--auth-file', '--enable-ssl'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="TLS and authentication are set with spec.tls and spec.auth"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-d', '-u', '-P', '-h', '-i', '-V'] || arg.startsWith('--') && ['--daemon', '--user', '--pidfile', '--help', '--license', '--version'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="the pod decides how memcached runs: in the foreground, as the user of spec.podSecurityContext, without a file of its own"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg.matches('(^|[,=])ssl_'))",message="TLS and authentication are set with spec.tls and spec.auth"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg.matches('(^|[,=])no_maxconns_fast'))",message="no_maxconns_fast makes the probes wait for a free connection, and fail, when memcached has none left"
	ExtraArgs []string `json:"extraArgs,omitempty"`
}
