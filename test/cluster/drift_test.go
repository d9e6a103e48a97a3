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

func TestDriftIsUndone(t *testing.T) {
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
		{"Deployment deleted", "whoever deletes the Deployment takes the cache away; only the Memcached decides that",
			func(t *testing.T, m *unstructured.Unstructured) {
				must(t, shared.Client.Delete(t.Context(), deploymentOf(t, m), client.PropagationPolicy("Background")))
			}},
		{"replicas edited", "kubectl scale deployment goes past spec.size",
			edit(func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](5) })},
		{"label removed", "others select the Deployment by its labels",
			edit(func(d *appsv1.Deployment) { delete(d.Labels, "app") })},
		{"image edited", "kubectl set image goes past spec.image",
			edit(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "memcached:1.4" })},
		{"pod deleted", "the pod's successor has another name, which status.nodes must give",
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
			eventually(t, patience, "the Deployment is as it was", func(ctx context.Context) error {
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
			waitReady(t, m, 2, patience)
			eventually(t, patience, "status.nodes names the pods that are there", func(context.Context) error {
				return sameNodes(t, m)
			})
		})
	}
}
