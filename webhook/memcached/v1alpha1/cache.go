package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// Cache configures memcached.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxConnections) || !has(self.threads) || self.maxConnections >= 16 * self.threads",message="maxConnections must be at least 16 per thread: memcached counts its own open files as connections and does not start with too few"
type Cache struct {
	// memory is the memory for items in each pod, such as 1Gi (memcached -m). It is rounded down to whole MiB. Defaults to what
	// fits under the memory limit in resources. Without a memory limit it defaults to 64Mi, and with flash to what the keys of
	// the items on flash need more.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('16Mi')) >= 0 && quantity(string(self)).compareTo(quantity('1Ti')) <= 0",message="must be a quantity from 16Mi to 1Ti, such as 1Gi"
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
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('512Ki')) >= 0 && quantity(string(self)).compareTo(quantity('1Gi')) <= 0 && quantity(string(self)).isInteger() && quantity(string(self)).asInteger() % 524288 == 0",message="must be a quantity that is a multiple of 512Ki from 512Ki to 1Gi, such as 8Mi: memcached stores large items in chunks of 512Ki and does not start otherwise"
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
	// extraArgs are additional command-line arguments of memcached. Each flag and each value is a separate element. A flag
	// is refused if the spec has a field for it, or if it would make the server unreachable.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.all(arg, !arg.startsWith('-') || arg.matches('^-[A-Za-z]$') || arg.matches('^--[a-z][a-z-]+(=.*)?$'))",message="each flag and each value must be a separate element, such as -f, 1.25: do not join flags or values to a short flag"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-m'] || arg.startsWith('--') && ['--memory-limit'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="set the memory for items in spec.cache.memory"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-c'] || arg.startsWith('--') && ['--conn-limit'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="set the number of connections in spec.cache.maxConnections"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-t'] || arg.startsWith('--') && ['--threads'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="set the number of threads in spec.cache.threads"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-I'] || arg.startsWith('--') && ['--max-item-size'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="set the maximum size of an item in spec.cache.maxItemSize"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-v'] || arg.startsWith('--') && ['--verbose'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="set the log level in spec.cache.verbosity"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-M'] || arg.startsWith('--') && ['--disable-evictions'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="disable evictions with spec.cache.disableEvictions"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-p', '-U', '-l', '-s', '-a'] || arg.startsWith('--') && ['--port', '--udp-port', '--listen', '--unix-socket', '--unix-mask'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="the listeners of memcached cannot be changed: clients, probes and network policies use TCP port 11211"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-S', '-Y', '-Z'] || arg.startsWith('--') && ['--enable-sasl', '--auth-file', '--enable-ssl'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="set TLS and authentication in spec.tls and spec.auth"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg in ['-d', '-u', '-P', '-h', '-i', '-V'] || arg.startsWith('--') && ['--daemon', '--user', '--pidfile', '--help', '--license', '--version'].exists(flag, flag.startsWith(arg.split('=')[0])))",message="the flag conflicts with the pod, where memcached runs in the foreground, as the user of spec.podSecurityContext, without a PID file"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg.matches('(^|[,=])ssl_'))",message="set TLS and authentication in spec.tls and spec.auth"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg.matches('(^|[,=])no_maxconns_fast'))",message="no_maxconns_fast makes the probes fail at the limit of connections, because they wait for a free connection"
	// +kubebuilder:validation:XValidation:rule="!self.exists(arg, arg.matches('(^|[,=])ext_(path|page_size|wbuf_size|threads|item_size)'))",message="set the flash tier in spec.flash, which also creates a volume for it"
	ExtraArgs []string `json:"extraArgs,omitempty"`
}
