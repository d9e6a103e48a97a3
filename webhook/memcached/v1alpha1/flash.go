package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// Flash configures extstore. memcached moves the values of large items that are not recently used to a volume, and keeps their keys in memory.
// Each pod has its own volume, which is created and deleted with the pod.
//
// +kubebuilder:validation:XValidation:rule="[self.pageSize, self.writeBuffer].exists(each, !isQuantity(string(each)) || !quantity(string(each)).isInteger() || quantity(string(each)).asInteger() < 1) || quantity(string(self.pageSize)).asInteger() % quantity(string(self.writeBuffer)).asInteger() == 0",message="pageSize (64Mi by default) must be a multiple of writeBuffer (16Mi by default), because memcached does not start otherwise"
// +kubebuilder:validation:XValidation:rule="[self.size, self.pageSize].exists(each, !isQuantity(string(each))) || quantity(string(self.size)).asApproximateFloat() >= 16.0 * quantity(string(self.pageSize)).asApproximateFloat()",message="size must be at least 16 times pageSize (64Mi by default), because memcached writes to several pages at the same time and evicts whole pages"
// +kubebuilder:validation:XValidation:rule="[self.size, self.pageSize].exists(each, !isQuantity(string(each))) || quantity(string(self.size)).asApproximateFloat() <= 65536.0 * quantity(string(self.pageSize)).asApproximateFloat()",message="size must be at most 65536 times pageSize (64Mi by default), because memcached does not start with more pages"
type Flash struct {
	// size is the size of the volume of each pod, such as 100Gi. memcached uses 90 percent of it. The file system needs the rest.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('1Gi')) >= 0",message="must be a quantity of at least 1Gi"
	Size *resource.Quantity `json:"size,omitempty"`
	// storageClassName is the StorageClass of the volumes. Defaults to the default StorageClass of the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$')",message="must be the name of an object: lower case letters, digits, dashes and dots, starting and ending with a letter or digit"
	StorageClassName *string `json:"storageClassName,omitempty"`
	// averageItemSize is the average size of the items on flash. The operator derives the memory for their keys and headers from it, about 160
	// bytes per item. A value below minItemSize counts as minItemSize.
	// +optional
	// +kubebuilder:default="4Ki"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('128')) >= 0 && quantity(string(self)).compareTo(quantity('1Gi')) <= 0",message="must be a quantity from 128 bytes to 1Gi"
	AverageItemSize *resource.Quantity `json:"averageItemSize,omitempty"`
	// minItemSize is the minimum size of the items that move to flash (memcached -o ext_item_size). Smaller items stay in memory.
	// +optional
	// +kubebuilder:default="512"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('128')) >= 0 && quantity(string(self)).compareTo(quantity('512Ki')) <= 0",message="must be a quantity from 128 bytes to 512Ki"
	MinItemSize *resource.Quantity `json:"minItemSize,omitempty"`
	// threads is the number of threads that read from flash (memcached -o ext_threads).
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Threads *int32 `json:"threads,omitempty"`
	// writeBuffer is the size of a write buffer (memcached -o ext_wbuf_size). It must be at least cache.maxItemSize. memcached keeps up to seven
	// write buffers in memory.
	// +optional
	// +kubebuilder:default="16Mi"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('2Mi')) >= 0 && quantity(string(self)).compareTo(quantity('1Gi')) <= 0 && quantity(string(self)).sub(int(quantity(string(self)).asApproximateFloat() / 2097152.0 + 0.5) * 2097152).compareTo(quantity('0')) == 0",message="must be a multiple of 2Mi from 2Mi to 1Gi, because memcached does not start otherwise"
	WriteBuffer *resource.Quantity `json:"writeBuffer,omitempty"`
	// pageSize is the size of a page (memcached -o ext_page_size). memcached evicts whole pages. It must be a multiple of writeBuffer.
	// +optional
	// +kubebuilder:default="64Mi"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('2Mi')) >= 0 && quantity(string(self)).compareTo(quantity('1Gi')) <= 0 && quantity(string(self)).sub(int(quantity(string(self)).asApproximateFloat() / 2097152.0 + 0.5) * 2097152).compareTo(quantity('0')) == 0",message="must be a multiple of 2Mi from 2Mi to 1Gi, because memcached does not start otherwise"
	PageSize *resource.Quantity `json:"pageSize,omitempty"`
}
