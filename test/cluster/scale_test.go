package cluster

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestScaled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		scale        func(t *testing.T, m *unstructured.Unstructured, size int)
	}{
		{"through spec.size", "users scale a cache by editing the resource", setSize},
		{"through the scale subresource", "kubectl scale and a HorizontalPodAutoscaler use the scale subresource",
			func(t *testing.T, m *unstructured.Unstructured, size int) {
				kubectl(t, "scale", "--namespace", m.GetNamespace(), "memcached/"+m.GetName(), fmt.Sprint("--replicas=", size))
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			because(t, c.reason)
			t.Parallel()
			m := newMemcached(t, newNamespace(t), "cache", 2)
			for _, size := range []int{4, 1, 0, 2} { // up, down, to zero, and up again
				c.scale(t, m, size)
				waitReady(t, m, size, waitTimeout)
				if replicas := *deploymentOf(t, m).Spec.Replicas; int(replicas) != size {
					t.Fatalf("scaled to %d, the Deployment has %d replicas", size, replicas)
				}
			}
		})
	}
}
