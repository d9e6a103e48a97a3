package cluster

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/ca"
)

var compositeControllerKind = schema.GroupVersionKind{Group: "metacontroller.k8s.io", Version: "v1alpha1", Kind: "CompositeController"}

// TestSteadyStateWritesNothing is not parallel, because its counters are for the whole API server.
func TestSteadyStateWritesNothing(t *testing.T) {
	because(t, "a write at every resync triggers every watcher, fills etcd, and grows with the number of caches")
	namespace := newNamespaceOf(t, "baseline") // the image of a CustomImageDeploy may run as root
	createSampleSecrets(t, namespace)
	createSamples(t, namespace)
	parents := waitSettled(t, namespace)
	resyncEverySecond(t)
	waitForNamespaceDeletions(t)

	resources := map[resource]bool{}
	kinds := map[schema.GroupVersionKind]bool{}
	observedKinds(t, func(gvr schema.GroupVersionResource, gvk schema.GroupVersionKind) {
		resources[resource{gvr.Group, gvr.Resource}] = true
		kinds[gvk] = true
	})
	if len(kinds) < 2 {
		t.Fatalf("the CompositeControllers have no parent and child kinds: %v", kinds)
	}
	waitForSyncs(t, parents, 2) // the second sync of a parent follows the writes of the first, which the changed CompositeControllers cause
	versions, count := versionsOf(t, kinds, namespace), writes(t, resources)
	if len(versions) < 2 || len(count) == 0 {
		t.Fatalf("nothing to compare: versions %v, writes %v", versions, count)
	}

	waitForSyncs(t, parents, 3)

	if diff := cmp.Diff(versions, versionsOf(t, kinds, namespace)); diff != "" {
		t.Errorf("objects changed during three resyncs:\n%s", diff)
	}
	if diff := cmp.Diff(count, writes(t, resources)); diff != "" {
		t.Errorf("write requests during three resyncs:\n%s", diff)
	}
}

// createSampleSecrets creates the Secrets of the secure sample, which pods on real kubelets need.
func createSampleSecrets(t *testing.T, namespace string) {
	t.Helper()
	issuer := ca.New()
	certificate, key := issuer.Issue(ca.Subject{DNSName: "memcached-secure." + namespace + ".svc"})
	for name, data := range map[string]map[string][]byte{
		"memcached-secure-tls":   {"tls.crt": certificate, "tls.key": key, "ca.crt": issuer.PEM()},
		"memcached-secure-users": {"passwords": []byte("app@memcached-secure:secret\n")},
	} {
		must(t, shared.Client.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}))
	}
}

// createSamples creates every sample in the namespace.
func createSamples(t *testing.T, namespace string) {
	t.Helper()
	files, err := shared.SampleFiles()
	must(t, err)
	for _, file := range files {
		objects, err := readObjects(file)
		must(t, err)
		for _, o := range objects {
			if namespaced, err := shared.Client.IsObjectNamespaced(o); err != nil || !namespaced {
				t.Fatalf("%s: %s %s is not namespaced: %v", file, o.GetKind(), o.GetName(), err)
			}
			o.SetNamespace(namespace)
			must(t, shared.Client.Create(t.Context(), o))
		}
	}
}

// resyncEverySecond changes every CompositeController until the test ends. It forces resyncs without a write to a parent.
//
// Metacontroller 4.17.2 panics with a nil pointer if a CompositeController changes while Metacontroller adds the finalizer
// to one of its parents. So all parents must be settled before the call, and the cleanup restarts Metacontroller.
func resyncEverySecond(t *testing.T) {
	t.Helper()
	t.Cleanup(func() { restart(t, shared.Metacontroller) })
	for _, cc := range compositeControllers(t) {
		before, _, err := unstructured.NestedInt64(cc.Object, "spec", "resyncPeriodSeconds")
		must(t, err)
		set := func(ctx context.Context, seconds int64) error {
			patch := fmt.Sprintf(`{"spec":{"resyncPeriodSeconds":%d}}`, seconds)
			return shared.Client.Patch(ctx, cc.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(patch)))
		}
		must(t, set(t.Context(), 1))
		t.Cleanup(func() {
			if err := set(context.Background(), before); err != nil {
				t.Error(err)
			}
		})
	}
}

// waitSettled waits until every parent in the namespace is settled, and returns the parents.
func waitSettled(t *testing.T, namespace string) (parents []unstructured.Unstructured) {
	t.Helper()
	eventually(t, waitTimeout, "the samples have settled", func(ctx context.Context) error {
		all, err := shared.Parents(ctx)
		if err != nil {
			return err
		}
		parents = nil
		for _, p := range all {
			if p.GetNamespace() != namespace {
				continue
			}
			if !Settled(&p) {
				return fmt.Errorf("%s %s: generation %d, status %v", p.GetKind(), p.GetName(), p.GetGeneration(), p.Object["status"])
			}
			parents = append(parents, p)
		}
		if len(parents) == 0 {
			return errors.New("no parents")
		}
		return nil
	})
	return parents
}

// waitForNamespaceDeletions waits for the namespaces of earlier tests, because their deletion writes too.
func waitForNamespaceDeletions(t *testing.T) {
	t.Helper()
	eventually(t, waitTimeout, "no namespace is being deleted", func(ctx context.Context) error {
		var namespaces corev1.NamespaceList
		if err := shared.Client.List(ctx, &namespaces); err != nil {
			return err
		}
		for _, n := range namespaces.Items {
			if n.DeletionTimestamp != nil {
				return fmt.Errorf("namespace %s is being deleted", n.Name)
			}
		}
		return nil
	})
}

// waitForSyncs waits for more calls of the sync hook for each parent.
func waitForSyncs(t *testing.T, parents []unstructured.Unstructured, more int) {
	t.Helper()
	want := map[string]int{}
	for _, p := range parents {
		want[p.GetName()] = hook.syncsOf(p.GetNamespace(), p.GetName()) + more
	}
	for _, p := range parents {
		eventually(t, waitTimeout, p.GetName()+" syncs again", func(context.Context) error {
			if n := hook.syncsOf(p.GetNamespace(), p.GetName()); n < want[p.GetName()] {
				return fmt.Errorf("%d syncs, want %d", n, want[p.GetName()])
			}
			return nil
		})
	}
}

func compositeControllers(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(compositeControllerKind)
	must(t, shared.Client.List(t.Context(), &list))
	return list.Items
}

// observedKinds calls each with the parent and child kinds of every CompositeController.
func observedKinds(t *testing.T, each func(schema.GroupVersionResource, schema.GroupVersionKind)) {
	t.Helper()
	for _, cc := range compositeControllers(t) {
		parent, _, err := unstructured.NestedMap(cc.Object, "spec", "parentResource")
		must(t, err)
		observed, _, err := unstructured.NestedSlice(cc.Object, "spec", "childResources")
		must(t, err)
		for _, o := range append(observed, parent) {
			rule := o.(map[string]any)
			version, err := schema.ParseGroupVersion(rule["apiVersion"].(string))
			must(t, err)
			gvr := version.WithResource(rule["resource"].(string))
			gvk, err := shared.Client.RESTMapper().KindFor(gvr)
			must(t, err)
			each(gvr, gvk)
		}
	}
}

// versionsOf returns the resourceVersion of every object of the kinds in the namespace.
func versionsOf(t *testing.T, kinds map[schema.GroupVersionKind]bool, namespace string) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for kind := range kinds {
		var list metav1.PartialObjectMetadataList
		list.SetGroupVersionKind(kind)
		must(t, shared.Client.List(t.Context(), &list, client.InNamespace(namespace)))
		must(t, eachItem(&list, func(o client.Object) { versions[kind.Kind+" "+o.GetName()] = o.GetResourceVersion() }))
	}
	return versions
}
