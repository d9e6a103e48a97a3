package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// quietEnd and graceEnd are why a server that holds ends.
const (
	quietEnd = "no proxy is connected"
	graceEnd = "the grace period ends"
)

// TestEvictedServer evicts a server as kubectl drain does, and deletes another one while the items of the first move: no budget prevents that.
func TestEvictedServer(t *testing.T) {
	because(t, "a drained node must empty no server. A server that is deleted while the items of another one move has its turn next, and then both come back")
	t.Parallel()
	m, ended := newHolding(t, map[string]any{})
	before, history := waitServers(t, m, 3), watchRoutes(t, m)
	evictServer(t, m, "cache-1")
	waitCondition(t, m, "Progressing", "Moving", "Pod cache-1 is being deleted (EvictionByEvictionAPI)")
	waitRoutes(t, m, "0-2_0-2.1_warming")
	deleteServer(t, m, "cache-0")
	waitRoutes(t, m, "0-2.0-1.1_0-2_warming")
	// The new pods are ready, and all others are, but their items are not back.
	budget := get(t, schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"}, m.GetNamespace(), "cache")
	if unavailable, found, err := unstructured.NestedInt64(budget.Object, "spec", "maxUnavailable"); unavailable != 0 || !found || err != nil {
		t.Errorf("while a spare exists, the spec of the budget is %v, want maxUnavailable 0", budget.Object["spec"])
	}
	if err := evict(t.Context(), m, "cache-2"); !apierrors.IsTooManyRequests(err) {
		t.Errorf("an eviction while a spare exists: %v, want 429 Too Many Requests", err)
	}
	waitReady(t, m, 3, 2*waitTimeout)

	want := []string{"servers 0-2, routes 0-2"}
	for _, move := range [][3]string{{"0-3", "0-2", "0-2.1"}, {"0-4", "0-2.1", "0-2.0-1.1"}, {"0-4", "0-2.0-1.1", "0-2"}} {
		for _, phase := range []string{"announcing", "preparing", "warming", "closing"} {
			want = append(want, fmt.Sprintf("servers %s, routes %s_%s_%s", move[0], move[1], move[2], phase))
		}
		want = append(want, fmt.Sprintf("servers %s, routes %s", move[0], move[2]))
	}
	want = append(want, "servers 0-2, routes 0-2")
	if diff := cmp.Diff(want, history()); diff != "" {
		t.Errorf("the states of the cluster (-want +got):\n%s", diff)
	}
	waitEnds(t, ended, "cache-1 "+quietEnd, "cache-0 "+quietEnd, "cache-4 "+quietEnd, "cache-3 "+quietEnd)
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
		t.Skip("NOT TESTED: a spare without room, because this needs a cluster of exactly three nodes, and an existing one can have more")
	}
	apart := map[string]any{"topologyKey": corev1.LabelHostname, "labelSelector": map[string]any{"matchLabels": map[string]any{"memcached_cr": "cache"}}}
	m, ended := newHolding(t, map[string]any{
		"terminationGracePeriodSeconds": int64(30),
		"affinity":                      map[string]any{"podAntiAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{apart}}},
	})
	before, history := waitServers(t, m, 3), watchRoutes(t, m)
	evictServer(t, m, "cache-1")
	waitCondition(t, m, "AtRisk", "GraceTooShort", "Pod cache-1 is being deleted", "its items are not moving yet")
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
