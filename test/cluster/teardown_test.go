package cluster

import (
	"context"
	"errors"
	"fmt"
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
	because(t, "nobody may be sent to what is already gone: the Ingress goes first, then the Service, then the Deployment")
	t.Parallel()
	namespace := newNamespaceOf(t, "baseline")
	deploy := newCustomImageDeploy(t, namespace)
	gone := deletions(t, namespace, ingressKind, serviceKind, deploymentKind, customImageDeployKind)

	must(t, shared.Client.Delete(t.Context(), deploy))

	untilGone(t, deploy)
	var ends []deletion
	for range 4 {
		select {
		case end := <-gone:
			ends = append(ends, end)
		case <-time.After(patience):
			t.Fatalf("only %v are gone", ends)
		}
	}
	sort.Slice(ends, func(i, j int) bool { return ends[i].version < ends[j].version })
	var order []string
	for _, end := range ends {
		order = append(order, end.kind)
	}
	if diff := cmp.Diff([]string{"Ingress", "Service", "Deployment", "CustomImageDeploy"}, order); diff != "" {
		t.Errorf("the order of deletions (-want +got):\n%s", diff)
	}
}

// It is not parallel: it kills the hook and Metacontroller, which all tests share.
func TestTeardownGoesOnAfterARestart(t *testing.T) {
	because(t, "a load balancer may take minutes to go, and neither the wait nor a restart in it may skip or repeat a step")
	namespace := newNamespaceOf(t, "baseline")
	deploy := newCustomImageDeploy(t, namespace)
	for _, kind := range []string{"ingress", "service", "deployment"} {
		kubectl(t, "patch", "--namespace", namespace, kind+"/shop", "--type=merge", "--patch", `{"metadata":{"finalizers":["test.example.com/hold"]}}`)
	}
	must(t, shared.Client.Delete(t.Context(), deploy))

	order := []schema.GroupVersionKind{ingressKind, serviceKind, deploymentKind}
	for i, kind := range order {
		waitsFor(t, namespace, "shop", kind)
		restart(t, shared.Hook)
		restart(t, shared.Metacontroller)
		finalized := hook.callsOf("finalize", namespace, "shop")
		eventually(t, patience, "the finalize hook is called again", func(context.Context) error {
			if n := hook.callsOf("finalize", namespace, "shop"); n <= finalized {
				return fmt.Errorf("called %d times", n)
			}
			return nil
		})
		waitsFor(t, namespace, "shop", kind)
		for _, behind := range order[i+1:] {
			if get(t, behind, namespace, "shop").GetDeletionTimestamp() != nil {
				t.Errorf("the %s goes although the %s is still there", behind.Kind, kind.Kind)
			}
		}
		kubectl(t, "patch", "--namespace", namespace, kind.Kind+"/shop", "--type=merge", "--patch", `{"metadata":{"finalizers":null}}`)
	}
	untilGone(t, deploy)
}

// waitsFor waits until the parent says that it waits for the child of that kind, which is being deleted.
func waitsFor(t *testing.T, namespace, name string, kind schema.GroupVersionKind) {
	t.Helper()
	eventually(t, patience, "the parent waits for its "+kind.Kind, func(context.Context) error {
		parent := get(t, customImageDeployKind, namespace, name)
		ready := Condition(parent, "Ready")
		if ready == nil || ready["reason"] != "Terminating" || ready["message"] != "Waiting until the "+kind.Kind+" is gone." {
			return fmt.Errorf("its condition Ready is %v", ready)
		}
		if get(t, kind, namespace, name).GetDeletionTimestamp() == nil {
			return fmt.Errorf("the %s is not being deleted", kind.Kind)
		}
		return nil
	})
}

func restart(t *testing.T, process Killable) {
	t.Helper()
	must(t, process.Kill())
	must(t, process.Start())
}

func TestCustomImageDeployDeletedAsOrphan(t *testing.T) {
	because(t, "--cascade=orphan takes what is published out of the operator's hands; a teardown would take it off the net")
	t.Parallel()
	namespace := newNamespaceOf(t, "baseline")
	deploy := newCustomImageDeploy(t, namespace)
	kubectl(t, "delete", "--namespace", namespace, "customimagedeploy/shop", "--cascade=orphan")
	untilGone(t, deploy)
	for _, kind := range []schema.GroupVersionKind{ingressKind, serviceKind, deploymentKind} {
		child := get(t, kind, namespace, "shop")
		if child.GetDeletionTimestamp() != nil || len(child.GetOwnerReferences()) > 0 {
			t.Errorf("the %s should stay, without an owner: %v", kind.Kind, child.Object["metadata"])
		}
	}
}

func TestCustomImageDeployDeletedInTheForeground(t *testing.T) {
	because(t, "--cascade=foreground lets the garbage collector delete the children; the parent must follow all the same")
	t.Parallel()
	namespace := newNamespaceOf(t, "baseline")
	deploy := newCustomImageDeploy(t, namespace)
	kubectl(t, "delete", "--namespace", namespace, "customimagedeploy/shop", "--cascade=foreground")
	untilGone(t, deploy)
}

// deletion is the end of an object, at a version that orders it among all changes of the cluster.
type deletion struct {
	version uint64
	kind    string
}

// deletions reports the end of every object of these kinds in the namespace.
func deletions(t *testing.T, namespace string, kinds ...schema.GroupVersionKind) <-chan deletion {
	t.Helper()
	gone := make(chan deletion, 100)
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
					gone <- deletion{version, o.GetKind()}
				}
			}
		}()
	}
	return gone
}

func untilGone(t *testing.T, o client.Object) {
	t.Helper()
	eventually(t, patience, o.GetName()+" is gone", func(ctx context.Context) error {
		err := shared.Client.Get(ctx, client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("it is still there"), err)
	})
}
