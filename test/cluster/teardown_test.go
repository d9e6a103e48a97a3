package cluster

import (
	"context"
	"errors"
	"sort"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestTeardownIsOrdered(t *testing.T) {
	because(t, "no traffic may reach a deleted object: the Ingress is deleted first, then the Service, then the Deployment")
	t.Parallel()
	namespace := newNamespaceOf(t, "baseline")
	deploy := newCustomImageDeploy(t, namespace)
	deleted := deletions(t, namespace, ingressKind, serviceKind, deploymentKind, customImageDeployKind)

	must(t, shared.Client.Delete(t.Context(), deploy))

	waitForDeletion(t, deploy)
	var ends []deletion
	for range 4 {
		select {
		case end := <-deleted:
			ends = append(ends, end)
		case <-time.After(waitTimeout):
			t.Fatalf("only %v are deleted", ends)
		}
	}
	sort.Slice(ends, func(i, j int) bool { return ends[i].version < ends[j].version })
	var order []string
	for _, end := range ends {
		order = append(order, end.kind)
	}
	if diff := cmp.Diff([]string{"Ingress", "Service", "Deployment", "CustomImageDeploy"}, order); diff != "" {
		t.Errorf("order of deletions (-want +got):\n%s", diff)
	}
}

// deletion is the deletion of an object at a resourceVersion, which orders all changes in the cluster.
type deletion struct {
	version uint64
	kind    string
}

// deletions sends the deletion of every object of these kinds in the namespace.
func deletions(t *testing.T, namespace string, kinds ...schema.GroupVersionKind) <-chan deletion {
	t.Helper()
	deleted := make(chan deletion, 100)
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		watcher, err := shared.Client.Watch(t.Context(), list, client.InNamespace(namespace))
		must(t, err)
		t.Cleanup(watcher.Stop)
		go func() {
			for event := range watcher.ResultChan() {
				if o, ok := event.Object.(*unstructured.Unstructured); ok && event.Type == watch.Deleted {
					version, _ := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
					deleted <- deletion{version, o.GetKind()}
				}
			}
		}()
	}
	return deleted
}

func waitForDeletion(t *testing.T, o client.Object) {
	t.Helper()
	eventually(t, waitTimeout, o.GetName()+" is deleted", func(ctx context.Context) error {
		err := shared.Client.Get(ctx, client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("not deleted"), err)
	})
}
