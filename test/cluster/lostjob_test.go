package cluster

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestLostJobPod lets a pod of the Job terminate without end, as on a node that does not respond.
func TestLostJobPod(t *testing.T) {
	because(t, "the items that no client uses move before the warm-up ends, and it ends when they have moved: not after its ten minutes")
	t.Parallel()
	if shared.env == nil {
		t.Skip("NOT TESTED: a lost pod of a Job, because this needs pods that only a test ends")
	}
	m := newProxied(t, 4, 600)
	setSize(t, m, 3)
	waitRoutes(t, m, "0-3_0-2_warming")
	lost := waitJobPod(t, m, "")
	kubectl(t, "label", "--namespace", lost.Namespace, "pod/"+lost.Name, "test-lost=true")
	deleteServer(t, m, lost.Name)
	t.Cleanup(func() { must(t, shared.Client.Delete(context.Background(), lost, client.GracePeriodSeconds(0))) })
	next := waitJobPod(t, m, lost.Name)
	next.Status.Phase = corev1.PodSucceeded
	must(t, shared.Client.Status().Update(t.Context(), next))
	waitReady(t, m, 3, waitTimeout)
	must(t, shared.Client.Get(t.Context(), client.ObjectKeyFromObject(lost), lost)) // it has not ended meanwhile
}

// waitJobPod waits until a pod of the Job of a warm-up runs, other than the one of a name.
func waitJobPod(t *testing.T, m *unstructured.Unstructured, other string) (found *corev1.Pod) {
	t.Helper()
	eventually(t, waitTimeout, "a pod of the Job copies", func(ctx context.Context) error {
		var pods corev1.PodList
		if err := shared.Client.List(ctx, &pods, client.InNamespace(m.GetNamespace()), client.MatchingLabels{"memcached_move": m.GetName()}); err != nil {
			return err
		}
		for _, pod := range pods.Items {
			if pod.Name != other && pod.Status.Phase == corev1.PodRunning && pod.Spec.Containers[0].Args[0] == "copy" {
				found = &pod
				return nil
			}
		}
		return fmt.Errorf("none of %d", len(pods.Items))
	})
	return found
}
