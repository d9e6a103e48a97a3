package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestCreated(t *testing.T) {
	because(t, "a Memcached becomes a Deployment that it owns, and its status names the pods")
	t.Parallel()
	namespace := newNamespace(t)
	apply(t, namespace, `
apiVersion: cache.example.com/v1alpha1
kind: Memcached
metadata: {name: sessions}
spec: {size: 3, image: "memcached:1.6.39-alpine", rollout: {minReadySeconds: 0}}`)

	kubectl(t, "wait", "--namespace", namespace, "--for=condition=Ready", "memcached/sessions", "--timeout", waitTimeout.String())

	m := get(t, memcachedKind, namespace, "sessions")
	d := deploymentOf(t, m)
	if *d.Spec.Replicas != 3 {
		t.Errorf("the Deployment has %d replicas, want spec.size", *d.Spec.Replicas)
	}
	if image := d.Spec.Template.Spec.Containers[0].Image; image != "memcached:1.6.39-alpine" {
		t.Errorf("the Deployment's image is %s, want spec.image", image)
	}
	want := metav1.NewControllerRef(m, memcachedKind)
	if diff := cmp.Diff([]metav1.OwnerReference{*want}, d.OwnerReferences); diff != "" {
		t.Errorf("owner references of the Deployment (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(podsOf(t, m), nodes(m)); diff != "" {
		t.Errorf("status.nodes (-kubectl +status):\n%s", diff)
	}
	selector, _, _ := unstructured.NestedString(m.Object, "status", "selector")
	if out := kubectl(t, "get", "pods", "--namespace", namespace, "--selector", selector, "--output", "name"); len(strings.Fields(out)) != 3 {
		t.Errorf("status.selector %q does not select the 3 pods:\n%s", selector, out)
	}
}
