package cluster

import (
	"context"
	"fmt"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
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

func TestAutoscalerFindsItsTarget(t *testing.T) {
	because(t, "a HorizontalPodAutoscaler uses only the scale subresource, which needs selector and replicas")
	t.Parallel()
	m := newMemcached(t, newNamespace(t), "cache", 1)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: m.GetNamespace(), Name: "cache"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: m.GetAPIVersion(), Kind: m.GetKind(), Name: m.GetName()},
			MinReplicas:    ptr.To[int32](2),
			MaxReplicas:    5,
		},
	}
	must(t, shared.Client.Create(t.Context(), hpa))
	eventually(t, waitTimeout, "the autoscaler can scale", func(ctx context.Context) error {
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(hpa), hpa); err != nil {
			return err
		}
		for _, c := range hpa.Status.Conditions {
			if c.Type == autoscalingv2.AbleToScale && c.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("conditions %v", hpa.Status.Conditions)
	})
	waitReady(t, m, 2, waitTimeout) // minReplicas
}
