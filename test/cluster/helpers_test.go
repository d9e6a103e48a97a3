package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/cluster/clustertest"
)

// waitTimeout limits each wait of a test. Most waits take one or two seconds, more on a busy machine.
var waitTimeout = 60 * time.Second

var memcachedKind = schema.GroupVersionKind{Group: "cache.example.com", Version: "v1alpha1", Kind: "Memcached"}

// because logs the reason for a test if the test fails.
func because(t *testing.T, reason string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("reason for this test: %s", reason)
		}
	})
}

// eventually calls check until it succeeds, and fails the test after the timeout.
func eventually(t *testing.T, timeout time.Duration, what string, check func(context.Context) error) {
	t.Helper()
	if err := poll(t.Context(), timeout, what, check); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newNamespace creates a namespace for one test. The namespace enforces the restricted Pod Security Standard.
func newNamespace(t *testing.T) string {
	t.Helper()
	return newNamespaceOf(t, "restricted")
}

func newNamespaceOf(t *testing.T, podSecurityStandard string) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "test-",
		Labels:       map[string]string{"pod-security.kubernetes.io/enforce": podSecurityStandard},
	}}
	must(t, shared.Client.Create(t.Context(), namespace))
	t.Cleanup(func() {
		// The test's context is already cancelled.
		if err := shared.Client.Delete(context.Background(), namespace); err != nil {
			t.Errorf("delete namespace %s: %v", namespace.Name, err)
		}
	})
	return namespace.Name
}

// newMemcached creates a Memcached and waits until it is ready.
func newMemcached(t *testing.T, namespace, name string, size int) *unstructured.Unstructured {
	t.Helper()
	return newMemcachedOf(t, namespace, name, size, map[string]any{})
}

// newMemcachedOf creates a Memcached with the spec and waits until it is ready. minReadySeconds is 0, because the default
// adds half a minute for each replaced pod.
func newMemcachedOf(t *testing.T, namespace, name string, size int, spec map[string]any) *unstructured.Unstructured {
	t.Helper()
	spec["size"], spec["rollout"] = int64(size), map[string]any{"minReadySeconds": int64(0)}
	m := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	m.SetGroupVersionKind(memcachedKind)
	m.SetNamespace(namespace)
	m.SetName(name)
	must(t, shared.Client.Create(t.Context(), m))
	waitReady(t, m, size, waitTimeout)
	return m
}

// waitReady waits until the Memcached is ready with size pods, all named in its status.
func waitReady(t *testing.T, m *unstructured.Unstructured, size int, timeout time.Duration) {
	t.Helper()
	what := fmt.Sprintf("memcached %s/%s is ready with %d pods", m.GetNamespace(), m.GetName(), size)
	eventually(t, timeout, what, func(ctx context.Context) error {
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		ready, _, _ := unstructured.NestedInt64(m.Object, "status", "readyReplicas")
		specSize, _, _ := unstructured.NestedInt64(m.Object, "spec", "size")
		if !Settled(m) || Condition(m, "Ready") == nil || int(specSize) != size || int(ready) != size || len(nodes(m)) != size {
			return fmt.Errorf("generation %d, spec %v, status %v", m.GetGeneration(), m.Object["spec"], m.Object["status"])
		}
		return nil
	})
}

func nodes(m *unstructured.Unstructured) []string {
	names, _, _ := unstructured.NestedStringSlice(m.Object, "status", "nodes")
	return names
}

// setSize changes spec.size.
func setSize(t *testing.T, m *unstructured.Unstructured, size int) {
	t.Helper()
	patch := fmt.Sprintf(`{"spec":{"size":%d}}`, size)
	must(t, shared.Client.Patch(t.Context(), m, client.RawPatch("application/merge-patch+json", []byte(patch))))
}

func deploymentOf(t *testing.T, m *unstructured.Unstructured) *appsv1.Deployment {
	t.Helper()
	d := &appsv1.Deployment{}
	must(t, shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), d))
	return d
}

// podsOf returns the names of the Memcached's pods, which kubectl lists by labels, in order.
func podsOf(t *testing.T, m *unstructured.Unstructured) []string {
	t.Helper()
	out := kubectl(t, "get", "pods", "--namespace", m.GetNamespace(), "--selector", "app=memcached,memcached_cr="+m.GetName(),
		"--output", "jsonpath={range .items[*]}{.metadata.name}{'\\n'}{end}")
	names := strings.Fields(out)
	slices.Sort(names)
	return names
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return clustertest.Run(t, shared.RunKubectl, args...)
}

func tryKubectl(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return shared.RunKubectl(t.Context(), args...)
}

// sameNodes compares the current status.nodes with the pods that kubectl lists by labels.
func sameNodes(t *testing.T, m *unstructured.Unstructured) error {
	t.Helper()
	must(t, shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), m))
	if diff := cmp.Diff(podsOf(t, m), nodes(m)); diff != "" {
		return fmt.Errorf("status.nodes of %s/%s (-kubectl +status):\n%s", m.GetNamespace(), m.GetName(), diff)
	}
	return nil
}

func get(t *testing.T, kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	must(t, shared.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, o))
	return o
}

// apply runs kubectl apply on a manifest.
func apply(t *testing.T, namespace, manifest string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	must(t, os.WriteFile(file, []byte(manifest), 0o600))
	kubectl(t, "apply", "--namespace", namespace, "--filename", file)
}

func eachItem(list client.ObjectList, do func(client.Object)) error {
	return meta.EachListItem(list, func(o runtime.Object) error {
		do(o.(client.Object))
		return nil
	})
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
