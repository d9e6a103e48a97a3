package cluster

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestDeletedAsOrphan(t *testing.T) {
	because(t, "--cascade=orphan removes a cache from the operator's control without losing its items")
	t.Parallel()
	m := newMemcached(t, newNamespace(t), "cache", 2)
	before := nodes(m)
	deployment := deploymentOf(t, m)
	kubectl(t, "delete", "--namespace", m.GetNamespace(), "memcached/cache", "--cascade=orphan")
	eventually(t, waitTimeout, "the Memcached is deleted", func(ctx context.Context) error {
		err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m.DeepCopy())
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("not deleted: %w", err)
		}
		return nil
	})
	// The garbage collector removes the owner references before the parent's finalizer, so this state is final.
	after := deploymentOf(t, m)
	if after.UID != deployment.UID || after.DeletionTimestamp != nil || len(after.OwnerReferences) > 0 {
		t.Errorf("want the same Deployment without an owner: %v", after.ObjectMeta)
	}
	if diff := cmp.Diff(before, podsOf(t, m)); diff != "" {
		t.Errorf("the pods changed (-before +after):\n%s", diff)
	}
	recreate(t, m, deployment.UID, before)
}

// recreate creates a Memcached with the name of one whose children were orphaned. Metacontroller does not
// adopt them until a user runs the command in the status.
func recreate(t *testing.T, m *unstructured.Unstructured, deployment types.UID, pods []string) {
	t.Helper()
	again := takeOver(t, m, len(pods))
	if after := deploymentOf(t, again); after.UID != deployment {
		t.Errorf("the Deployment was replaced: %v", after.ObjectMeta)
	}
	if diff := cmp.Diff(pods, podsOf(t, again)); diff != "" {
		t.Errorf("the pods changed (-before +after):\n%s", diff)
	}
}

func names(ctx context.Context, list client.ObjectList, namespace string) ([]string, error) {
	if err := shared.Client.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	var all []string
	err := eachItem(list, func(o client.Object) { all = append(all, o.GetName()) })
	slices.Sort(all)
	return all, err
}
