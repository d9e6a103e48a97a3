package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// newHolding creates a cache of three servers with proxies whose warm-up takes its whole time, as newProxied does. Its servers hold, and
// ended returns which of them have ended, and why.
func newHolding(t *testing.T, spec map[string]any) (m *unstructured.Unstructured, ended func() []string) {
	t.Helper()
	namespace := newNamespace(t)
	spec["proxy"], spec["podLabels"] = warmupOf(3), map[string]any{"test-copies": "nothing", "test-holds": "true"}
	ended = simulateHold(t, namespace)
	return newMemcachedOf(t, namespace, "cache", 3, spec), ended
}

// evict requests the eviction of a pod.
func evict(ctx context.Context, m *unstructured.Unstructured, name string) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: m.GetNamespace(), Name: name}}
	return shared.Client.SubResource("eviction").Create(ctx, pod, &policyv1.Eviction{})
}

// evictServer evicts a pod as kubectl drain does: it repeats the request until the budget allows it.
func evictServer(t *testing.T, m *unstructured.Unstructured, name string) {
	t.Helper()
	eventually(t, waitTimeout, "the eviction of "+name+" is allowed", func(ctx context.Context) error { return evict(ctx, m, name) })
}

// deleteServer deletes a pod, and does not wait until it has stopped.
func deleteServer(t *testing.T, m *unstructured.Unstructured, name string) {
	t.Helper()
	kubectl(t, "delete", "pod", "--namespace", m.GetNamespace(), name, "--wait=false")
}

// waitServers waits until a number of servers exist, of which none is being deleted, and returns their UIDs by name.
func waitServers(t *testing.T, m *unstructured.Unstructured, number int) (uids map[string]types.UID) {
	t.Helper()
	eventually(t, waitTimeout, fmt.Sprintf("%d servers exist", number), func(ctx context.Context) error {
		var pods corev1.PodList
		if err := shared.Client.List(ctx, &pods, client.InNamespace(m.GetNamespace()), client.MatchingLabels{"memcached_cr": m.GetName()}); err != nil {
			return err
		}
		uids = map[string]types.UID{}
		for _, pod := range pods.Items {
			uids[pod.Name] = pod.UID
			if pod.DeletionTimestamp != nil {
				return fmt.Errorf("pod %s is being deleted", pod.Name)
			}
		}
		if len(uids) != number {
			return fmt.Errorf("the pods are %v", uids)
		}
		return nil
	})
	return uids
}

// waitRoutes waits until the proxies are rolled out with the routes.
func waitRoutes(t *testing.T, m *unstructured.Unstructured, routes string) {
	t.Helper()
	eventually(t, 2*waitTimeout, "the proxies have the routes "+routes, func(ctx context.Context) error {
		var deployment appsv1.Deployment
		if err := shared.Client.Get(ctx, client.ObjectKey{Namespace: m.GetNamespace(), Name: m.GetName() + "-proxy"}, &deployment); err != nil {
			return err
		}
		if label := deployment.Spec.Template.Labels[routesLabel]; label != routes {
			return fmt.Errorf("the routes are %s", label)
		}
		return nil
	})
}

// waitCondition waits until a condition is True with this reason and a message that contains all texts.
func waitCondition(t *testing.T, m *unstructured.Unstructured, conditionType, reason string, texts ...string) {
	t.Helper()
	eventually(t, waitTimeout, fmt.Sprintf("%s contains %q", conditionType, texts), func(ctx context.Context) error {
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		condition := Condition(m, conditionType)
		missing := slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(fmt.Sprint(condition["message"]), text) })
		if condition["status"] != "True" || condition["reason"] != reason || missing {
			return fmt.Errorf("the condition is %v", condition)
		}
		return nil
	})
}

// waitEnds waits until these servers have ended, in any order. Real kubelets do not report it.
func waitEnds(t *testing.T, ended func() []string, want ...string) {
	t.Helper()
	if shared.env == nil {
		return
	}
	eventually(t, waitTimeout, "all servers that hold have ended", func(context.Context) error {
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(ended()))); diff != "" {
			return errors.New("the ends of servers (-want +got):\n" + diff)
		}
		return nil
	})
}

// syncsWriteNothing checks that syncs of a cache that does not change write neither its status nor its children. Each annotation of the Service
// triggers a sync.
func syncsWriteNothing(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	versions := func() map[string]string {
		all := map[string]string{}
		for _, kind := range []schema.GroupVersionKind{memcachedKind, deploymentKind, statefulSetKind, jobKind, budgetKind, policyKind} {
			var list metav1.PartialObjectMetadataList
			list.SetGroupVersionKind(kind)
			must(t, shared.Client.List(t.Context(), &list, client.InNamespace(m.GetNamespace())))
			must(t, eachItem(&list, func(o client.Object) { all[kind.Kind+" "+o.GetName()] = o.GetResourceVersion() }))
		}
		return all
	}
	touches := 0
	eventually(t, waitTimeout, "two syncs write nothing", func(context.Context) error {
		before := versions()
		for range 2 { // when the second one begins, the first one has written
			syncs := hook.syncsOf(m.GetNamespace(), m.GetName())
			touches++
			kubectl(t, "annotate", "--overwrite", "--namespace", m.GetNamespace(), "service/"+m.GetName(), fmt.Sprintf("test/touched=%d", touches))
			eventually(t, waitTimeout, "the cache syncs", func(context.Context) error {
				if hook.syncsOf(m.GetNamespace(), m.GetName()) == syncs {
					return errors.New("no sync")
				}
				return nil
			})
		}
		if diff := cmp.Diff(before, versions()); diff != "" {
			return errors.New("objects changed:\n" + diff)
		}
		return nil
	})
}
