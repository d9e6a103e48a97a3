package cluster

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	proxies "github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// nodesKey is the label and the taint of nodes that run the pods of one test only.
const nodesKey = "test-nodes"

// TestApart creates the servers of a cache, and replaces them by those of another range. It rolls out the Deployment of the proxies ten times, with each
// phase of two moves, and drains a node after each second one. A whole change takes a minute with its phases, so no hook is part of the test.
func TestApart(t *testing.T) {
	t.Parallel()
	if shared.env == nil {
		t.Skip("NOT TESTED: the placement of pods, because this needs nodes without kubelets")
	}
	for _, c := range []struct {
		name, reason string
		nodes        int
		zone         func(node int) string
	}{
		{"nodes", "no key can be read when a node dies that runs all servers, or all proxies. Most clusters of one's own have no zones", 3, nil},
		{"zones", "the same for a zone", 6, func(node int) string { return strconv.Itoa(node % 3) }},
		{"free-node", "proxies are apart rather than on the only node without a server, and one of them is there", 4, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			because(t, c.reason)
			t.Parallel()
			memcached := sample.Proxied(3).WithDefaults()
			memcached.Namespace = newNamespace(t)
			memcached.Spec.NodeSelector = map[string]string{nodesKey: c.name}
			memcached.Spec.Tolerations = []corev1.Toleration{{Key: nodesKey, Value: c.name}}
			nodes := newNodes(t, c.name, c.nodes, c.zone)
			for i, routes := range []string{
				"0-2", "0-2_0-2.1_announcing", "0-2_0-2.1_preparing", "0-2_0-2.1_warming", "0-2_0-2.1_closing",
				"0-2.1", "0-2_3-5_announcing", "0-2_3-5_preparing", "0-2_3-5_warming", "0-2_3-5_closing", "3-5",
			} {
				switch routes {
				case "0-2":
					checkApart(t, applyServers(t, memcached, moves.Decision{Ordinals: moves.Range{Count: 3}}), nodes, routes)
				case "0-2_3-5_announcing":
					memcached.Spec.Cache.Threads = new(int32(2))
					checkApart(t, applyServers(t, memcached, moves.Decision{Ordinals: moves.Range{Count: 6}, Partition: 3})[3:], nodes, routes)
				case "3-5":
					applyServers(t, memcached, moves.Decision{Ordinals: moves.Range{First: 3, Count: 3}})
				}
				rollOut(t, memcached, routes)
				running := waitPods(t, memcached, children.ProxySelector(memcached), 2)
				checkApart(t, running, nodes, routes)
				checkFree(t, memcached, running, nodes, routes)
				if i%2 == 1 {
					drained := running[0].Spec.NodeName
					kubectl(t, "cordon", drained)
					kubectl(t, "delete", "pod", "--namespace", memcached.Namespace, running[0].Name)
					checkApart(t, waitPods(t, memcached, children.ProxySelector(memcached), 2), nodes, routes+" after a drain of "+drained)
					kubectl(t, "uncordon", drained)
				}
			}
		})
	}
}

// newNodes creates nodes that run only pods that tolerate their taint, until the test ends.
func newNodes(t *testing.T, name string, number int, zone func(int) string) []*corev1.Node {
	t.Helper()
	var nodes []*corev1.Node
	for i := range number {
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{
				Name:        fmt.Sprintf("%s-%d", name, i),
				Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
				Labels:      map[string]string{corev1.LabelHostname: fmt.Sprintf("%s-%d", name, i), nodesKey: name},
			},
			Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: nodesKey, Value: name, Effect: corev1.TaintEffectNoSchedule}}},
		}
		if zone != nil {
			node.Labels[corev1.LabelTopologyZone] = zone(i)
		}
		must(t, shared.Client.Create(t.Context(), node))
		t.Cleanup(func() { must(t, client.IgnoreNotFound(shared.Client.Delete(context.Background(), node))) })
		nodes = append(nodes, node)
	}
	eventually(t, waitTimeout, "pods can start on all nodes", func(ctx context.Context) error {
		for _, node := range nodes {
			if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(node), node); err != nil {
				return err
			}
			if len(node.Spec.Taints) != 1 || len(node.Status.Allocatable) == 0 {
				return fmt.Errorf("%s has the taints %v and allocatable %v", node.Name, node.Spec.Taints, node.Status.Allocatable)
			}
		}
		return nil
	})
	return nodes
}

// applyServers applies the StatefulSet of the servers, and returns its pods once no other one is left.
func applyServers(t *testing.T, memcached *v1alpha1.Memcached, d moves.Decision) []corev1.Pod {
	t.Helper()
	defaults := children.ReleaseDefaults{Images: children.Images{Memcached: children.DefaultImage}}
	template := children.PodTemplate(memcached, defaults, memory.Of(&memcached.Spec))
	applyPods(t, children.Children(&children.Input{Memcached: memcached, Template: template, Decision: d})[0].(client.Object))
	return waitPods(t, memcached, children.SelectorLabels(memcached), int(d.Ordinals.Count))
}

// rollOut applies the Deployment of proxies with some routes, and waits until only its pods run.
func rollOut(t *testing.T, memcached *v1alpha1.Memcached, routes string) {
	t.Helper()
	defaults := proxies.ReleaseDefaults{Image: children.DefaultImage, Library: "-- none", Domain: "cluster.local"}
	desired := proxies.Children(&proxies.Input{
		Memcached: memcached,
		Template:  proxies.PodTemplate(memcached, defaults, memory.Of(&memcached.Spec), moves.ParseRoutes(routes)),
		Decision:  moves.Decision{ProxyReplicas: 2},
	})[0].(*appsv1.Deployment)
	applyPods(t, desired)
	kubectl(t, "rollout", "status", "--namespace", memcached.Namespace, "deployment/"+desired.Name, "--timeout=1m")
}

func applyPods(t *testing.T, object client.Object) {
	t.Helper()
	must(t, shared.Client.Patch(t.Context(), object, client.Apply, client.FieldOwner("test"), client.ForceOwnership)) //nolint:staticcheck // the typed apply needs another form of the object
}

// waitPods returns so many pods in the order of their names, once all have a node and no other one is left.
func waitPods(t *testing.T, memcached *v1alpha1.Memcached, labels map[string]string, number int) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	eventually(t, waitTimeout, fmt.Sprintf("%d pods run", number), func(ctx context.Context) error {
		if err := shared.Client.List(ctx, &pods, client.InNamespace(memcached.Namespace), client.MatchingLabels(labels)); err != nil {
			return err
		}
		if len(pods.Items) != number || slices.ContainsFunc(pods.Items, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" }) {
			return fmt.Errorf("not %d pods that have a node, and none that terminates", number)
		}
		return nil
	})
	return pods.Items
}

// checkApart reports pods that are on the same node, or in the same zone.
func checkApart(t *testing.T, pods []corev1.Pod, nodes []*corev1.Node, when string) {
	t.Helper()
	first := map[string]string{}
	for _, pod := range pods {
		on := pod.Spec.NodeName
		node := nodes[slices.IndexFunc(nodes, func(node *corev1.Node) bool { return node.Name == on })]
		for _, place := range []string{on, node.Labels[corev1.LabelTopologyZone]} {
			if other := first[place]; place != "" && other != "" {
				t.Errorf("routes %s: %s and %s are both in %s", when, other, pod.Name, place)
			}
			first[place] = pod.Name
		}
	}
}

// checkFree reports that proxies are on nodes with servers while there are others.
func checkFree(t *testing.T, memcached *v1alpha1.Memcached, pods []corev1.Pod, nodes []*corev1.Node, when string) {
	t.Helper()
	var servers corev1.PodList
	must(t, shared.Client.List(t.Context(), &servers, client.InNamespace(memcached.Namespace), client.MatchingLabels(children.SelectorLabels(memcached))))
	taken := map[string]bool{}
	for _, server := range servers.Items {
		taken[server.Spec.NodeName] = true
	}
	onFree := 0
	for _, proxy := range pods {
		if !taken[proxy.Spec.NodeName] {
			onFree++
		}
	}
	if free := len(nodes) - len(taken); onFree < min(free, len(pods)) {
		t.Errorf("routes %s: %d proxies are on the %d nodes without servers, want %d", when, onFree, free, min(free, len(pods)))
	}
}
