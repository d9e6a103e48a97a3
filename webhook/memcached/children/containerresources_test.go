package children

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/memory"
)

// TestRoundResources checks that resources are rounded to thousandths, as the API server stores them. Other resources cause
// a write at every sync.
func TestRoundResources(t *testing.T) {
	fine := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100u")}}
	for reason, got := range map[string]corev1.ResourceRequirements{
		"memcached":    containerResources(fine, memory.Size{LimitMiB: 123}),
		"the exporter": ResourcesOr(fine, corev1.ResourceRequirements{}),
	} {
		if cpu := got.Limits.Cpu().String(); cpu != "1m" {
			t.Errorf("the CPU limit of %s is %s, want 1m as in the API server", reason, cpu)
		}
	}
}
