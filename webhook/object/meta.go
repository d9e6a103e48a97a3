package object

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ParentGenerationAnnotation is set on a workload to the generation of the parent that it was made for. Until the
// observed workload has the parent's current generation, its status speaks of what was asked for before.
const ParentGenerationAnnotation = "memcached-operator.example.com/parent-generation"

// Meta is the part of an observed object's metadata that rules read.
type Meta struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	Generation        int64             `json:"generation"`
	Labels            map[string]string `json:"labels"`
	Annotations       Annotations       `json:"annotations"`
	DeletionTimestamp *metav1.Time      `json:"deletionTimestamp"`
	ManagedFields     skipped           `json:"managedFields"`
}

// Annotations are the observed annotations that rules read.
type Annotations struct {
	ParentGeneration string `json:"memcached-operator.example.com/parent-generation"`
}

// Object is an observed object of which rules read no more than that it is there.
type Object struct {
	Meta `json:"metadata"`
}

// GetName returns metadata.name.
func (m Meta) GetName() string { return m.Name }

// GetNamespace returns metadata.namespace.
func (m Meta) GetNamespace() string { return m.Namespace }

// Terminating is true once the object's deletion was asked for.
func (m Meta) Terminating() bool { return m.DeletionTimestamp != nil }

// ParentGeneration returns the annotation that ties a workload to the parent's generation; none for a parent that the
// API server has not stored, which has no generation.
func ParentGeneration(parent metav1.Object) map[string]string {
	if parent.GetGeneration() == 0 {
		return nil
	}
	return map[string]string{ParentGenerationAnnotation: strconv.FormatInt(parent.GetGeneration(), 10)}
}
