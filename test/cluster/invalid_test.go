package cluster

import (
	"context"
	"fmt"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestInvalidSpecChangesNothing(t *testing.T) {
	because(t, "a spec that only the hook rejects must not change a running cache, and the user must see the reason")
	t.Parallel()
	m := newMemcached(t, newNamespace(t), "cache", 2)
	deployment := deploymentOf(t, m)
	policy := &networkingv1.NetworkPolicy{}
	must(t, shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), policy))

	// The CRD has no rule about host bits of a CIDR. A new image would replace every pod.
	edit(t, m, map[string]any{
		"image":         "memcached:1.6.39",
		"networkPolicy": map[string]any{"from": []any{map[string]any{"ipBlock": map[string]any{"cidr": "10.0.0.1/8"}}}},
	})
	eventually(t, waitTimeout, "the resource reports the invalid field", func(ctx context.Context) error {
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		for _, kind := range []string{"Ready", "Degraded"} {
			if condition := Condition(m, kind); condition["reason"] != "InvalidSpec" || condition["observedGeneration"] != m.GetGeneration() {
				return fmt.Errorf("%s is %v", kind, condition)
			}
		}
		return nil
	})
	if after := deploymentOf(t, m); after.Generation != deployment.Generation {
		t.Errorf("the Deployment changed: %v", after.Spec)
	}
	after := &networkingv1.NetworkPolicy{}
	must(t, shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), after))
	if after.Generation != policy.Generation {
		t.Errorf("the NetworkPolicy changed: %v", after.Spec)
	}

	edit(t, m, map[string]any{"image": nil, "networkPolicy": nil})
	waitReady(t, m, 2, waitTimeout)
}

// edit merges fields into the spec of a Memcached.
func edit(t *testing.T, m *unstructured.Unstructured, spec map[string]any) {
	t.Helper()
	patch, err := (&unstructured.Unstructured{Object: map[string]any{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "spec": spec}}).MarshalJSON()
	must(t, err)
	must(t, shared.Client.Patch(t.Context(), m, client.RawPatch("application/merge-patch+json", patch)))
}
