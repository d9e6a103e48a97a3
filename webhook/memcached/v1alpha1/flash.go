package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// Flash configures memcached's extstore: the values of large items that are not in recent use move to a volume, and their keys
// stay in memory. Each pod has a volume of its own, which is created and deleted with the pod.
//
// +kubebuilder:validation:XValidation:rule="(has(self.pageSizeMB) ? self.pageSizeMB : 64) % (has(self.writeBufferMB) ? self.writeBufferMB : 16) == 0",message="pageSizeMB (64 by default) must be a multiple of writeBufferMB (16 by default): memcached does not start otherwise"
// +kubebuilder:validation:XValidation:rule="quantity(string(self.size)).asApproximateFloat() >= double(16 * 1048576 * (has(self.pageSizeMB) ? self.pageSizeMB : 64))",message="size must be at least 16 pages of pageSizeMB (64 by default), because memcached writes to several pages at the same time and evicts whole pages"
// +kubebuilder:validation:XValidation:rule="quantity(string(self.size)).asApproximateFloat() <= double(65536 * 1048576 * (has(self.pageSizeMB) ? self.pageSizeMB : 64))",message="size must be at most 65536 pages of pageSizeMB (64 by default): memcached does not start with more"
type Flash struct {
	// size is the size of the volume of each pod, such as 100Gi. memcached uses 90 percent of it; the rest is for the file
	// system.
	// +required
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('1Gi')) >= 0",message="must be at least 1Gi"
	Size *resource.Quantity `json:"size,omitempty"`
	// storageClassName is the StorageClass of the volumes. Defaults to the default StorageClass of the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$`
	StorageClassName *string `json:"storageClassName,omitempty"`
	// averageItemBytes is the average size of the items on flash. The memory for their keys and headers follows from it: about
	// 160 bytes for each item. Defaults to 4096, or to minItemBytes if that is greater.
	// +optional
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=1073741824
	AverageItemBytes *int64 `json:"averageItemBytes,omitempty"`
	// minItemBytes is the size from which items move to flash (memcached -o ext_item_size). Smaller items stay in memory.
	// Defaults to 512.
	// +optional
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=524288
	MinItemBytes *int64 `json:"minItemBytes,omitempty"`
	// threads is the number of threads that read from flash (memcached -o ext_threads). Defaults to 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Threads *int32 `json:"threads,omitempty"`
	// writeBufferMB is the size of a write buffer in MiB (memcached -o ext_wbuf_size). It must be at least cache.maxItemSize.
	// memcached has up to seven buffers of this size in memory. Defaults to 16.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1024
	// +kubebuilder:validation:MultipleOf=2
	WriteBufferMB *int32 `json:"writeBufferMB,omitempty"`
	// pageSizeMB is the size of a page in MiB (memcached -o ext_page_size). memcached evicts whole pages. It must be a
	// multiple of writeBufferMB. Defaults to 64.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1024
	// +kubebuilder:validation:MultipleOf=2
	PageSizeMB *int32 `json:"pageSizeMB,omitempty"`
}
