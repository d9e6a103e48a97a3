package observed

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Holder is the object that has the name of a parent's workload, whoever owns it. Metacontroller sends only the parent's own
// objects as children, and does not report when it cannot create a child because the name is taken.
type Holder struct {
	HolderMeta `json:"metadata"`
	Spec       skipped `json:"spec"`
	Status     skipped `json:"status"`
}

// HolderMeta is the part of a [Holder]'s metadata that rules read.
type HolderMeta struct {
	Name              string                  `json:"name"`
	Namespace         string                  `json:"namespace"`
	Labels            map[string]string       `json:"labels"`
	OwnerReferences   []metav1.OwnerReference `json:"ownerReferences"`
	DeletionTimestamp *metav1.Time            `json:"deletionTimestamp"`
	ManagedFields     skipped                 `json:"managedFields"`
}

// GetName returns metadata.name.
func (m HolderMeta) GetName() string { return m.Name }

// GetNamespace returns metadata.namespace.
func (m HolderMeta) GetNamespace() string { return m.Namespace }
