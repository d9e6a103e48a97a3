package children

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
)

// TestHelperCPU checks the CPU limits of all containers of a server: a quota on limits.cpu needs all of them or none.
func TestHelperCPU(t *testing.T) {
	cpu := func(limit string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: *sample.Quantity(limit)}}
	}
	for _, test := range []struct {
		reason           string
		servers, helpers corev1.ResourceRequirements
		want             string
	}{
		{"memcached has no limit", sample.Limits("1Gi"), corev1.ResourceRequirements{}, "0"},
		{"memcached has a limit", cpu("1"), corev1.ResourceRequirements{}, "100m"},
		{"spec sets the resources of helpers", cpu("1"), cpu("7m"), "7m"},
	} {
		memcached := sample.Proxied(3)
		memcached.Spec.Resources, memcached.Spec.HelperResources = test.servers, test.helpers
		defaults := ReleaseDefaults{Images: Images{Hold: "hook", Reloader: "hook", Exporter: "exporter"}, HelperCPU: HelperCPUOf(memcached.Spec.Resources, nil)}
		pod := PodTemplate(memcached, defaults, memory.Of(&memcached.Spec)).Spec
		for _, container := range append(pod.InitContainers, pod.Containers[1:]...) {
			if got := container.Resources.Limits.Cpu().String(); got != test.want {
				t.Errorf("%s: the CPU limit of %s is %s, want %s", test.reason, container.Name, got, test.want)
			}
		}
	}
}
