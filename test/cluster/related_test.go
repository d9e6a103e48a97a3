package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRequestsHaveEveryPod checks the pods in the requests of both workloads.
func TestRequestsHaveEveryPod(t *testing.T) {
	for _, workload := range []string{"Deployment", "StatefulSet"} {
		t.Run(workload, func(t *testing.T) {
			because(t, "a pod that is missing from a request is missing from the status, and clients lose its server")
			t.Parallel()
			m := newMemcachedOf(t, newNamespace(t), "cache", 3, map[string]any{"workload": workload})
			before := wantPodsInRequest(t, m, 3)

			setSize(t, m, 1)
			waitReady(t, m, 1, waitTimeout)
			if diff := cmp.Diff(before, hook.podsOf(m.GetNamespace(), m.GetName(), m.GetGeneration())); diff != "" {
				t.Errorf("scaled down: the pods in the first request (-existing +request):\n%s", diff)
			}
			setSize(t, m, 3)
			waitReady(t, m, 3, waitTimeout)
			before = wantPodsInRequest(t, m, 3)

			kubectl(t, "delete", "--namespace", m.GetNamespace(), "memcached/cache", "--cascade=orphan")
			again := takeOver(t, m, 3)
			if diff := cmp.Diff(before, wantPodsInRequest(t, again, 3)); diff != "" {
				t.Errorf("adopted: the pods changed (-before +after):\n%s", diff)
			}
			waitForPodsAfterDeletion(t, again)
		})
	}
}

// takeOver creates a parent again whose children were orphaned, and waits until the new parent is ready with them.
func takeOver(t *testing.T, m *unstructured.Unstructured, size int) *unstructured.Unstructured {
	t.Helper()
	again := &unstructured.Unstructured{Object: map[string]any{"spec": m.Object["spec"]}}
	again.SetGroupVersionKind(memcachedKind)
	again.SetNamespace(m.GetNamespace())
	again.SetName(m.GetName())
	must(t, shared.Client.Create(t.Context(), again))
	handOver(t, again)
	waitReady(t, again, size, waitTimeout)
	return again
}

// handOver runs the command in the status of a parent that was created again.
func handOver(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	eventually(t, 2*waitTimeout, "the status reports the orphaned workload after a minute", func(ctx context.Context) error {
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		if degraded := Condition(m, "Degraded"); degraded == nil || degraded["reason"] != "Orphaned" {
			return fmt.Errorf("status %v", m.Object["status"])
		}
		return nil
	})
	message := fmt.Sprint(Condition(m, "Degraded")["message"])
	_, command, found := strings.Cut(message, "kubectl ")
	if !found {
		t.Fatalf("no command in %q", message)
	}
	kubectl(t, strings.Fields(command)...)
}

func waitForPodsAfterDeletion(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	kubectl(t, "delete", "--namespace", m.GetNamespace(), "memcached/"+m.GetName(), "--cascade=foreground")
	eventually(t, waitTimeout, "all pods are deleted", func(context.Context) error {
		if pods := podsOf(t, m); len(pods) > 0 {
			return fmt.Errorf("pods %v", pods)
		}
		return nil
	})
}

// wantPodsInRequest waits until the last request has the pods that kubectl lists, and returns their names.
func wantPodsInRequest(t *testing.T, m *unstructured.Unstructured, count int) []string {
	t.Helper()
	pods := podsOf(t, m)
	if len(pods) != count {
		t.Fatalf("%d pods, want %d: %v", len(pods), count, pods)
	}
	eventually(t, waitTimeout, "a request has all pods", func(context.Context) error {
		if diff := cmp.Diff(pods, hook.podsOf(m.GetNamespace(), m.GetName(), 0)); diff != "" {
			return fmt.Errorf("pods (-kubectl +request):\n%s", diff)
		}
		return nil
	})
	return pods
}
