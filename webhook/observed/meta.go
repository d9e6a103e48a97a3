package observed

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// LastAppliedAnnotation has the child as the hook returned it last. Metacontroller writes the annotation, except with
// --apply-strategy=server-side-apply.
const LastAppliedAnnotation = "metacontroller.k8s.io/last-applied-configuration"

// Meta is the part of the metadata of every observed object that rules read.
type Meta struct {
	Name              string       `json:"name"`
	Namespace         string       `json:"namespace"`
	Labels            stringMap    `json:"labels"`
	CreationTimestamp time.Time    `json:"creationTimestamp"`
	DeletionTimestamp *metav1.Time `json:"deletionTimestamp"`
}

// GetName returns metadata.name.
func (m Meta) GetName() string { return m.Name }

// GetNamespace returns metadata.namespace.
func (m Meta) GetNamespace() string { return m.Namespace }

// Terminating reports whether the object is being deleted.
func (m Meta) Terminating() bool { return m.DeletionTimestamp != nil }

// ChildMeta is the part of an observed child's metadata that rules read.
type ChildMeta struct {
	Meta
	Generation      int64                `json:"generation"`
	Annotations     stringMap            `json:"annotations"`
	OwnerReferences list[OwnerReference] `json:"ownerReferences"`
}

// OwnerReference is the part of an owner reference that rules read.
type OwnerReference struct {
	Name       string    `json:"name"`
	UID        types.UID `json:"uid"`
	Controller bool      `json:"controller"`
}

// GetController returns the name and the UID of the owner that manages the child; both are empty if it has none.
func (m ChildMeta) GetController() (name string, uid types.UID) {
	for _, owner := range m.OwnerReferences {
		if owner.Controller {
			return owner.Name, owner.UID
		}
	}
	return "", ""
}

// GetLabels returns metadata.labels.
func (m ChildMeta) GetLabels() map[string]string { return m.Labels }

// GetAnnotations returns metadata.annotations.
func (m ChildMeta) GetAnnotations() map[string]string { return m.Annotations }

// GetLastApplied returns the JSON of the child as the hook returned it last; "" if it is unknown.
func (m ChildMeta) GetLastApplied() string { return m.Annotations[LastAppliedAnnotation] }
