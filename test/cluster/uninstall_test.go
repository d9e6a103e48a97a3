package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var compositeControllerKind = schema.GroupVersionKind{Group: "metacontroller.k8s.io", Version: "v1alpha1", Kind: "CompositeController"}

// TestUninstall is not parallel, because it removes the CRD and the CompositeController, which all tests share.
func TestUninstall(t *testing.T) {
	because(t, "who removes the operator decides whether the caches continue to run, and a backup restores them without a restart")
	m := newMemcached(t, newNamespace(t), "cache", 1)
	deployment := deploymentOf(t, m)
	controller := get(t, compositeControllerKind, "", "memcached")

	kubectl(t, "delete", "compositecontroller", "memcached")
	setSize(t, m, 2)
	reinstall(t, controller)
	waitReady(t, m, 2, waitTimeout)
	pods, before := podsOf(t, m), childrenOf(t, m)

	kubectl(t, "delete", "memcacheds", "--all", "--namespace", m.GetNamespace(), "--cascade=orphan")
	uninstall(t)
	if diff := cmp.Diff(before, childrenOf(t, m)); diff != "" {
		t.Errorf("the children changed when the operator was removed (-before +after):\n%s", diff)
	}
	reinstall(t, controller)
	restored := takeOver(t, m, 2)
	if after := deploymentOf(t, restored); after.UID != deployment.UID || len(after.OwnerReferences) != 1 {
		t.Errorf("want the same Deployment with an owner: %v", after.ObjectMeta)
	}
	if diff := cmp.Diff(pods, podsOf(t, restored)); diff != "" {
		t.Errorf("the pods changed (-before +after):\n%s", diff)
	}

	uninstall(t)
	eventually(t, waitTimeout, "the children are deleted with the CRD", func(ctx context.Context) error {
		left, err := names(ctx, &appsv1.DeploymentList{}, m.GetNamespace())
		if len(left) > 0 {
			return fmt.Errorf("Deployments %v remain", left)
		}
		return err
	})
	reinstall(t, controller)
	newMemcached(t, newNamespace(t), "cache", 1)
}

// childrenOf returns the children of a Memcached and whether they are being deleted, by kind and UID.
func childrenOf(t *testing.T, m *unstructured.Unstructured) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, kind := range []schema.GroupVersionKind{deploymentKind, serviceKind, budgetKind, policyKind} {
		child := get(t, kind, m.GetNamespace(), m.GetName())
		found[kind.Kind+" "+string(child.GetUID())] = child.GetDeletionTimestamp() != nil
	}
	return found
}

// uninstall deletes the CompositeController and the CRD of Memcached.
func uninstall(t *testing.T) {
	t.Helper()
	kubectl(t, "delete", "compositecontroller", "memcached")
	kubectl(t, "delete", "--kustomize", filepath.Join(shared.root, "crds/memcached"), "--timeout=1m")
}

// reinstall creates the CRD of Memcached, if it does not exist, and a CompositeController that was deleted.
func reinstall(t *testing.T, controller *unstructured.Unstructured) {
	t.Helper()
	kubectl(t, "apply", "--kustomize", filepath.Join(shared.root, "crds/memcached"))
	must(t, shared.WaitEstablished(t.Context(), "memcacheds.cache.example.com"))
	again := &unstructured.Unstructured{Object: map[string]any{"spec": controller.Object["spec"]}}
	again.SetGroupVersionKind(controller.GroupVersionKind())
	again.SetName(controller.GetName())
	must(t, shared.Client.Create(t.Context(), again))
}
