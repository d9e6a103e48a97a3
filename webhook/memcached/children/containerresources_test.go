package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
)

// TestRoundResources checks that resources are rounded to thousandths, as the API server stores them. Other resources cause
// a write at every sync.
func TestRoundResources(t *testing.T) {
	fine := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100u")}}
	for reason, got := range map[string]corev1.ResourceRequirements{
		"memcached":    ContainerResources(fine, memory.Size{LimitMiB: 123}),
		"the exporter": ResourcesOr(fine, HelperResources("10m")),
	} {
		if cpu := got.Limits.Cpu().String(); cpu != "1m" {
			t.Errorf("the CPU limit of %s is %s, want 1m as in the API server", reason, cpu)
		}
	}
}

func TestContainerResources(t *testing.T) {
	cases := []struct {
		reason         string
		spec           corev1.ResourceRequirements
		limit, request string
	}{
		{"neither is set", corev1.ResourceRequirements{}, "123Mi", "123Mi"},
		{"the limit is set", sample.Limits("1024Mi"), "1Gi", "1Gi"},
		{"the request is set", corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("50Mi")}}, "123Mi", "50Mi"},
	}
	for _, test := range cases {
		before := test.spec.DeepCopy()
		got := ContainerResources(test.spec, memory.Size{LimitMiB: 123})
		limit, request := got.Limits[corev1.ResourceMemory], got.Requests[corev1.ResourceMemory]
		if limit.Cmp(resource.MustParse(test.limit)) != 0 || request.Cmp(resource.MustParse(test.request)) != 0 {
			t.Errorf("%s: limit %s and request %s, want %s and %s", test.reason, limit.String(), request.String(), test.limit, test.request)
		}
		if diff := cmp.Diff(before, &test.spec); diff != "" {
			t.Errorf("%s: the function changed its input (-before +after):\n%s", test.reason, diff)
		}
	}
}
