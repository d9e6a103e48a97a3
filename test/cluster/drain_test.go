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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// quietEnd and graceEnd are why a server that holds ends.
const (
	quietEnd = "no proxy is connected"
	graceEnd = "the grace period ends"
)

// TestEvictedServer evicts a server as kubectl drain does, and deletes another one while the items of the first move: no budget prevents that.
func TestEvictedServer(t *testing.T) {
	because(t, "a drained node must empty no server. Only one server at a time has the spare, so the others serve until it is their turn")
	t.Parallel()
	m, ended := newHolding(t, map[string]any{})
	before, history := waitServers(t, m, 3), watchRoutes(t, m)
	evictServer(t, m, "cache-1")
	waitCondition(t, m, "Progressing", "Moving", "pod cache-1 to a spare", "EvictionByEvictionAPI")
	waitRoutes(t, m, "0-2_0-2.1_warming")
	deleteServer(t, m, "cache-0")
	waitRoutes(t, m, "0-2.0_0-2_warming")
	// The new pod of server 0 is ready, and all others are, but its items are not back.
	budget := get(t, schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"}, m.GetNamespace(), "cache")
	if unavailable, found, err := unstructured.NestedInt64(budget.Object, "spec", "maxUnavailable"); unavailable != 0 || !found || err != nil {
		t.Errorf("while a spare exists, the spec of the budget is %v, want maxUnavailable 0", budget.Object["spec"])
	}
	if err := evict(t.Context(), m, "cache-2"); !apierrors.IsTooManyRequests(err) {
		t.Errorf("an eviction while a spare exists: %v, want 429 Too Many Requests", err)
	}
	waitReady(t, m, 3, 2*waitTimeout)

	want := []string{"servers 0-2, routes 0-2"}
	for _, spared := range []string{"0-2.1", "0-2.0"} {
		for _, move := range [][2]string{{"0-2", spared}, {spared, "0-2"}} {
			for _, phase := range []string{"announcing", "preparing", "warming", "closing"} {
				want = append(want, fmt.Sprintf("servers 0-3, routes %s_%s_%s", move[0], move[1], phase))
			}
			want = append(want, "servers 0-3, routes "+move[1])
		}
		want = append(want, "servers 0-2, routes 0-2")
	}
	if diff := cmp.Diff(want, history()); diff != "" {
		t.Errorf("the states of the cluster (-want +got):\n%s", diff)
	}
	waitEnds(t, ended, "cache-1 "+quietEnd, "cache-3 "+quietEnd, "cache-0 "+quietEnd, "cache-3 "+quietEnd)
	after := waitServers(t, m, 3)
	if after["cache-0"] == before["cache-0"] || after["cache-1"] == before["cache-1"] || after["cache-2"] != before["cache-2"] {
		t.Errorf("the servers are %v, want those of %v with new pods cache-0 and cache-1", after, before)
	}
	syncsWriteNothing(t, m)
}

// TestSpareWithoutRoom evicts a server of a cluster whose three nodes run one server each.
func TestSpareWithoutRoom(t *testing.T) {
	because(t, "the conditions must say why the items of a server do not move, and a spare that cannot start must not prevent the server from starting again")
	t.Parallel()
	if shared.env == nil {
		t.Skip("an existing cluster can have more nodes")
	}
	apart := map[string]any{"topologyKey": corev1.LabelHostname, "labelSelector": map[string]any{"matchLabels": map[string]any{"memcached_cr": "cache"}}}
	m, ended := newHolding(t, map[string]any{
		"terminationGracePeriodSeconds": int64(30),
		"affinity":                      map[string]any{"podAntiAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{apart}}},
	})
	before, history := waitServers(t, m, 3), watchRoutes(t, m)
	evictServer(t, m, "cache-1")
	waitCondition(t, m, "AtRisk", "GraceTooShort", "Pod cache-1 is being deleted", "its items do not move yet")
	waitCondition(t, m, "Degraded", "Unschedulable", "cache-3", "anti-affinity")
	if len(ended()) > 0 {
		t.Errorf("%q before the conditions had the cause", ended())
	}
	eventually(t, waitTimeout, "the grace period ends", func(context.Context) error {
		if ends := ended(); len(ends) == 0 || ends[0] != "cache-1 "+graceEnd {
			return fmt.Errorf("%q have ended", ends)
		}
		return nil
	})
	waitReady(t, m, 3, 2*waitTimeout)
	want := []string{"servers 0-2, routes 0-2", "servers 0-3, routes 0-2_0-2.1_announcing", "servers 0-3, routes 0-2", "servers 0-2, routes 0-2"}
	if diff := cmp.Diff(want, history()); diff != "" {
		t.Errorf("the states of the cluster (-want +got):\n%s", diff)
	}
	if after := waitServers(t, m, 3); after["cache-1"] == before["cache-1"] {
		t.Errorf("the servers are %v, want those of %v with a new pod cache-1", after, before)
	}
	syncsWriteNothing(t, m)
}

// TestDrainInterrupted changes the spec while the items of one server move and another one waits for its turn.
func TestDrainInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason, patch string
		size                int
	}{
		{"size 0", "servers that no proxy uses must not use memory for their grace period of nine minutes", `{"spec":{"size":0}}`, 0},
		{"proxies removed", "clients connect to the three servers again, so none of them may terminate for minutes", `{"spec":{"workload":"StatefulSet","proxy":null}}`, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			because(t, c.reason)
			t.Parallel()
			m, ended := newHolding(t, map[string]any{})
			watchRoutes(t, m)
			evictServer(t, m, "cache-1")
			waitRoutes(t, m, "0-2_0-2.1_warming")
			deleteServer(t, m, "cache-0")
			kubectl(t, "patch", "--namespace", m.GetNamespace(), "memcached/cache", "--type=merge", "--patch", c.patch)
			waitReady(t, m, c.size, 2*waitTimeout)
			waitServers(t, m, c.size)
			for _, end := range ended() {
				if !strings.HasSuffix(end, quietEnd) {
					t.Errorf("%s", end)
				}
			}
			syncsWriteNothing(t, m)
		})
	}
}

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

// waitCondition waits until a condition is True for the reason, and its message contains all texts.
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

// waitEnds waits until these servers have ended, in this order. Real kubelets do not report it.
func waitEnds(t *testing.T, ended func() []string, want ...string) {
	t.Helper()
	if shared.env == nil {
		return
	}
	eventually(t, waitTimeout, "all servers that hold have ended", func(context.Context) error {
		if diff := cmp.Diff(want, ended()); diff != "" {
			return errors.New("the ends of servers (-want +got):\n" + diff)
		}
		return nil
	})
}

// syncsWriteNothing checks that syncs of a cache that does not change write neither its status nor its children. Each annotation of the Service
// triggers a sync.
func syncsWriteNothing(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	kinds := map[schema.GroupVersionKind]bool{}
	observedKinds(t, func(_ schema.GroupVersionResource, kind schema.GroupVersionKind) { kinds[kind] = true })
	versions := func() map[string]string {
		all := versionsOf(t, kinds, m.GetNamespace())
		delete(all, "Service "+m.GetName())
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
