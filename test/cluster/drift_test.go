package cluster

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestDriftIsReverted(t *testing.T) {
	t.Parallel()
	edit := func(change func(*appsv1.Deployment)) func(*testing.T, *unstructured.Unstructured) {
		return func(t *testing.T, m *unstructured.Unstructured) {
			d := deploymentOf(t, m)
			before := d.DeepCopy()
			change(d)
			must(t, shared.Client.Patch(t.Context(), d, client.MergeFrom(before)))
		}
	}
	for _, c := range []struct {
		name, reason string
		drift        func(*testing.T, *unstructured.Unstructured)
	}{
		{"Deployment deleted", "only deleting the Memcached may delete the cache",
			func(t *testing.T, m *unstructured.Unstructured) {
				must(t, shared.Client.Delete(t.Context(), deploymentOf(t, m), client.PropagationPolicy("Background")))
			}},
		{"replicas edited", "kubectl scale deployment bypasses spec.size",
			edit(func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](5) })},
		{"label removed", "other tools select the Deployment by its labels",
			edit(func(d *appsv1.Deployment) { delete(d.Labels, "app") })},
		{"image edited", "kubectl set image bypasses spec.image",
			edit(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "memcached:1.4" })},
		{"pod deleted", "the new pod has another name, which status.nodes must contain",
			func(t *testing.T, m *unstructured.Unstructured) {
				kubectl(t, "delete", "pod", "--namespace", m.GetNamespace(), nodes(m)[0])
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			because(t, c.reason)
			t.Parallel()
			m := newMemcached(t, newNamespace(t), "cache", 2)
			want := deploymentOf(t, m)
			c.drift(t, m)
			eventually(t, waitTimeout, "the Deployment is restored", func(ctx context.Context) error {
				d := &appsv1.Deployment{}
				if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), d); err != nil {
					return err
				}
				if d.DeletionTimestamp != nil || *d.Spec.Replicas != *want.Spec.Replicas || d.Labels["app"] != want.Labels["app"] ||
					d.Spec.Template.Spec.Containers[0].Image != want.Spec.Template.Spec.Containers[0].Image {
					return fmt.Errorf("labels %v, spec %v", d.Labels, d.Spec)
				}
				return nil
			})
			waitReady(t, m, 2, waitTimeout)
			eventually(t, waitTimeout, "status.nodes names the current pods", func(context.Context) error {
				return sameNodes(t, m)
			})
		})
	}
}
