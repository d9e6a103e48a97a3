package cluster

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestNodeLost lets nodes stop to renew their leases. Kubernetes' own controllers then do what they do in each cluster: they mark the node and its
// pods, delete the pods after their toleration, and end them once the node is known to be off.
func TestNodeLost(t *testing.T) {
	t.Parallel()
	if shared.env == nil {
		t.Skip("NOT TESTED: nodes that do not respond, because this needs nodes whose leases a test can hold")
	}
	t.Run("one server, and the Node object is deleted", testServerLost)
	t.Run("two servers and a proxy, and the node is out of service", testProxyLost)
	t.Run("two servers, and the node responds again", testNodeReturns)
}

func testServerLost(t *testing.T) {
	because(t, "the keys of a server whose node does not respond must have another server, until it starts elsewhere")
	t.Parallel()
	m := newLossy(t, "lost-server", 4, 3, 2, 2)
	before, history := waitServers(t, m, 3), watchRoutes(t, m)
	node, lost := nodeWith(t, m, 1, 0)
	loseNode(t, node)
	waitCondition(t, m, "Degraded", "NodeLost", "Pod "+lost[0], "unreachable node")
	absent := lost[0][len(lost[0])-1:]
	waitServing(t, m, "0-2, 3 in place of "+absent)
	waitCondition(t, m, "AtRisk", "ServerReplaced", "Spares serve the keys of servers on unreachable nodes: 0-2, 3 in place of "+absent)
	budget := get(t, budgetKind, m.GetNamespace(), "cache")
	if unavailable, _, err := unstructured.NestedInt64(budget.Object, "spec", "maxUnavailable"); unavailable != 2 || err != nil {
		t.Errorf("while a server is replaced, the spec of the budget is %v, want maxUnavailable 2: the server, and one more", budget.Object["spec"])
	}
	syncsWriteNothing(t, m)
	kubectl(t, "delete", "node", node)
	waitReady(t, m, 3, 2*waitTimeout)
	waitServing(t, m, "0-2")
	var want []string
	spared := "0-2." + absent
	for _, move := range [][2]string{{"0-2", spared}, {spared, "0-2"}} {
		want = append(want, fmt.Sprintf("servers 0-%d, routes %s", 2+len(want)/5, move[0]))
		for _, phase := range []string{"announcing", "preparing", "warming", "closing"} {
			want = append(want, fmt.Sprintf("servers 0-3, routes %s_%s_%s", move[0], move[1], phase))
		}
	}
	want = append(want, "servers 0-3, routes 0-2", "servers 0-2, routes 0-2")
	if diff := cmp.Diff(want, history()); diff != "" {
		t.Errorf("the states of the cluster (-want +got):\n%s", diff)
	}
	after := waitServers(t, m, 3)
	for name, uid := range before {
		if replaced := after[name] != uid; replaced != (name == lost[0]) {
			t.Errorf("pod %s is a new one: %t", name, replaced)
		}
	}
}

func testProxyLost(t *testing.T) {
	because(t, "a proxy that may still run must not serve old items, so only somebody who knows that the node is off may end the wait")
	t.Parallel()
	m := newLossy(t, "lost-proxy", 2, 3, 2, 2)
	history := watchRoutes(t, m)
	node, lost := nodeWith(t, m, 2, 1)
	loseNode(t, node)
	waitCondition(t, m, "Degraded", "NodeLost", "is on an unreachable node")
	waitCondition(t, m, "Progressing", "Moving", "to spares", lost[0], lost[1], "waiting for pod cache-proxy-", "Switch the node off")
	kubectl(t, "taint", "node", node, "node.kubernetes.io/out-of-service=shutdown:NoExecute")
	waitReady(t, m, 3, 2*waitTimeout)
	waitServing(t, m, "0-2")
	a, b := lost[0][len(lost[0])-1:], lost[1][len(lost[1])-1:]
	// PodGC also ends the servers, which start empty elsewhere, so nothing is left to move.
	got, waits := history(), fmt.Sprintf("servers 0-4, routes 0-2_0-2.%s.%s-1_announcing", a, b)
	swapped := fmt.Sprintf("servers 0-4, routes 0-2_0-2.%s-1.%s_announcing", a, b) // its second server was deleted first
	if !slices.Contains(got, waits) && !slices.Contains(got, swapped) || got[len(got)-1] != "servers 0-2, routes 0-2" {
		t.Errorf("the cluster had %q, want both slots in a move that waits: %s, and then the first servers", got, waits)
	}
}

func testNodeReturns(t *testing.T) {
	because(t, "a node that responds again in time costs nothing, and after that its servers must not come back with old items. Changes go on meanwhile")
	t.Parallel()
	m := newLossy(t, "returns", 2, 4, 1, 20)
	before, history := waitServers(t, m, 4), watchRoutes(t, m)
	node, lost := nodeWith(t, m, 2, 0)
	loseNode(t, node)
	waitCondition(t, m, "Degraded", "NodeLost", "Pod "+lost[0])
	returnNode(t, node)
	waitReady(t, m, 4, waitTimeout)
	if diff := cmp.Diff(before, waitServers(t, m, 4)); diff != "" {
		t.Errorf("after the node responds again (-pods before +after):\n%s", diff)
	}
	if got := history(); !slices.Equal(got, []string{"servers 0-3, routes 0-3"}) {
		t.Errorf("although the node responds again, the cluster had %q", got)
	}
	loseNode(t, node)
	a, b := lost[0][len(lost[0])-1:], lost[1][len(lost[1])-1:]
	// Kubernetes deletes one pod after the other. If a sync is between, the spares change, or the second slot moves after the first one.
	spared := fmt.Sprintf("0-3.%s.%s-1", a, b)
	if waitServing(t, m, fmt.Sprintf("0-3, 4 in place of %s, 5 in place of %s", a, b), fmt.Sprintf("0-3, 5 in place of %s, 4 in place of %s", a, b)) == 1 {
		spared = fmt.Sprintf("0-3.%s-1.%s", a, b)
	}
	kubectl(t, "patch", "--namespace", m.GetNamespace(), "memcached/cache", "--type=merge", "--patch", `{"spec":{"size":3,"image":"memcached:1.6.40"}}`)
	waitServing(t, m, "6-8")
	returnNode(t, node)
	waitReady(t, m, 3, 2*waitTimeout)
	waitServers(t, m, 3)
	want := []string{"servers 0-5, routes " + spared}
	for _, phase := range []string{"announcing", "preparing", "warming", "closing"} {
		want = append(want, fmt.Sprintf("servers 0-8, routes %s_6-8_%s", spared, phase))
	}
	want = append(want, "servers 0-8, routes 6-8", "servers 6-8, routes 6-8")
	got := history()
	if diff := cmp.Diff(want, got[max(0, slices.Index(got, want[0])):]); diff != "" {
		t.Errorf("the states of the cluster from the moment when spares have the slots (-want +got):\n%s", diff)
	}
}

// newLossy creates nodes, each in a zone of its own, and a cache on them whose pods tolerate a lost node for some seconds.
func newLossy(t *testing.T, name string, nodes, size, proxies int, seconds int64) *unstructured.Unstructured {
	t.Helper()
	newNodes(t, name, nodes, strconv.Itoa)
	return newMemcachedOf(t, newNamespace(t), "cache", size, map[string]any{
		"nodeSelector":                     map[string]any{nodesKey: name},
		"tolerations":                      []any{map[string]any{"key": nodesKey, "operator": "Exists"}},
		"unreachableNodeTolerationSeconds": seconds,
		"proxy":                            map[string]any{"replicas": int64(proxies)},
	})
}

// nodeWith returns a node with these numbers of servers and of proxies, and the names of the servers, in order.
func nodeWith(t *testing.T, m *unstructured.Unstructured, servers, proxies int) (node string, names []string) {
	t.Helper()
	on := func(label string) map[string][]string {
		var pods corev1.PodList
		must(t, shared.Client.List(t.Context(), &pods, client.InNamespace(m.GetNamespace()), client.MatchingLabels{label: m.GetName()}))
		found := map[string][]string{}
		for _, pod := range pods.Items {
			found[pod.Spec.NodeName] = append(found[pod.Spec.NodeName], pod.Name)
		}
		return found
	}
	serversOn, proxiesOn := on("memcached_cr"), on("memcached_proxy")
	for node, names := range serversOn {
		if len(names) == servers && len(proxiesOn[node]) == proxies {
			slices.Sort(names)
			return node, names
		}
	}
	t.Fatalf("no node has %d servers and %d proxies: %v, %v", servers, proxies, serversOn, proxiesOn)
	return "", nil
}

// loseNode holds the lease of a node, so that kwok does not renew it, and lets kwok leave its pods as they are.
func loseNode(t *testing.T, name string) {
	t.Helper()
	kubectl(t, "label", "pods", "--all-namespaces", "--field-selector=spec.nodeName="+name, "test-lost=true")
	now := time.Now().UTC().Format(metav1.RFC3339Micro) // the node lifecycle controller ignores another lease of the same time
	patchLease(t, name, `{"spec":{"holderIdentity":"test","leaseDurationSeconds":3600,"renewTime":"`+now+`"}}`)
}

// returnNode lets kwok renew the lease again, and act as the kubelet of the pods. It waits until Kubernetes' controllers know: until then, pods
// would be deleted, although kwok has made them ready again.
func returnNode(t *testing.T, name string) {
	t.Helper()
	patchLease(t, name, `{"spec":{"holderIdentity":null}}`)
	kubectl(t, "label", "pods", "--all-namespaces", "--field-selector=spec.nodeName="+name, "test-lost-")
	eventually(t, waitTimeout, "node "+name+" responds again", func(ctx context.Context) error {
		var node corev1.Node
		err := shared.Client.Get(ctx, client.ObjectKey{Name: name}, &node)
		ready := slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
		if err == nil && (!ready || len(node.Spec.Taints) != 1) { // newNodes has given it one
			err = fmt.Errorf("it is ready: %t, with the taints %v", ready, node.Spec.Taints)
		}
		return err
	})
}

func patchLease(t *testing.T, name, patch string) {
	t.Helper()
	kubectl(t, "patch", "lease", "--namespace", corev1.NamespaceNodeLease, name, "--type=merge", "--patch", patch)
}

// waitServing waits until no item moves, and some of these servers have the slots, and returns which ones.
func waitServing(t *testing.T, m *unstructured.Unstructured, servers ...string) (index int) {
	t.Helper()
	eventually(t, 2*waitTimeout, fmt.Sprintf("servers %q serve", servers), func(ctx context.Context) error {
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		status, _, err := unstructured.NestedMap(m.Object, "status", "proxy")
		index = slices.Index(servers, fmt.Sprint(status["servers"]))
		if index < 0 || status["move"] != nil || err != nil {
			return fmt.Errorf("status.proxy is %v, condition %v", status, Condition(m, "Progressing"))
		}
		return nil
	})
	return index
}
