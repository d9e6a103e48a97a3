package object

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// ParentGenerationAnnotation is set on a workload to the generation of the parent that it was made for. Until the
	// observed workload has the parent's current generation, its status describes an earlier spec.
	ParentGenerationAnnotation = "memcached-operator.example.com/parent-generation"

	// LastAppliedAnnotation holds a child as a hook returned it last. Metacontroller writes it, except with
	// --apply-strategy=server-side-apply.
	LastAppliedAnnotation = "metacontroller.k8s.io/last-applied-configuration"
)

// Meta is the part of an observed pod's metadata that rules read.
type Meta struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	Labels            map[string]string `json:"labels"`
	DeletionTimestamp *metav1.Time      `json:"deletionTimestamp"`
	ManagedFields     skipped           `json:"managedFields"`
}

// GetName returns metadata.name.
func (m Meta) GetName() string { return m.Name }

// GetNamespace returns metadata.namespace.
func (m Meta) GetNamespace() string { return m.Namespace }

// Terminating reports whether the object is being deleted.
func (m Meta) Terminating() bool { return m.DeletionTimestamp != nil }

// ChildMeta is the part of an observed child's metadata that rules read.
type ChildMeta struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	Generation        int64             `json:"generation"`
	Labels            map[string]string `json:"labels"`
	Annotations       map[string]string `json:"annotations"`
	CreationTimestamp time.Time         `json:"creationTimestamp"`
	DeletionTimestamp *metav1.Time      `json:"deletionTimestamp"`
	ManagedFields     skipped           `json:"managedFields"`
}

// GetName returns metadata.name.
func (m ChildMeta) GetName() string { return m.Name }

// GetNamespace returns metadata.namespace.
func (m ChildMeta) GetNamespace() string { return m.Namespace }

// GetLastApplied returns the child as a hook returned it last, in JSON; "" when that is not known.
func (m ChildMeta) GetLastApplied() string { return m.Annotations[LastAppliedAnnotation] }

// Terminating reports whether the object is being deleted.
func (m ChildMeta) Terminating() bool { return m.DeletionTimestamp != nil }

// ParentGeneration returns the annotation that ties a workload to the parent's generation. A parent that the API server
// has not stored has no generation, and its workload no annotation.
func ParentGeneration(parent metav1.Object) map[string]string {
	if parent.GetGeneration() == 0 {
		return nil
	}
	return map[string]string{ParentGenerationAnnotation: strconv.FormatInt(parent.GetGeneration(), 10)}
}
