package resources

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// ParentGenerationAnnotation is set on a workload to the generation of the parent that it was made for. Until the
	// observed workload has the parent's current generation, its status describes an earlier spec.
	ParentGenerationAnnotation = "memcached-operator.example.com/parent-generation"
)

// ParentGeneration returns the annotation that ties a workload to the parent's generation. A parent that the API server
// has not stored has no generation, and its workload no annotation.
func ParentGeneration(parent metav1.Object) map[string]string {
	if parent.GetGeneration() == 0 {
		return nil
	}
	return map[string]string{ParentGenerationAnnotation: strconv.FormatInt(parent.GetGeneration(), 10)}
}
