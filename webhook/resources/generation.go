package resources

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ParentGenerationAnnotation has the generation of the parent that a workload was built for. Until the observed workload has
// the parent's current generation, its status describes an earlier spec.
const ParentGenerationAnnotation = "memcached-operator.example.com/parent-generation"

// ParentGeneration returns the annotation with the parent's generation. It returns nil for a parent without a generation,
// which the API server has not stored.
func ParentGeneration(parent metav1.Object) map[string]string {
	if parent.GetGeneration() == 0 {
		return nil
	}
	return map[string]string{ParentGenerationAnnotation: strconv.FormatInt(parent.GetGeneration(), 10)}
}
