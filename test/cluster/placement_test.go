package cluster

import (
	"context"
	"errors"
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
	proxies "github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// placementKey is the label and the taint of nodes that run the pods of one test only.
const placementKey = "test-placement"

// TestProxiesApart rolls out the Deployment of the proxies ten times, with each phase of two moves, and drains a node after each second one. A
// whole change takes a minute with its phases, so no hook is part of the test.
func TestProxiesApart(t *testing.T) {
	t.Parallel()
	if shared.env == nil {
		t.Skip("NOT TESTED: the placement of proxies, because this needs nodes without kubelets")
	}
	for _, c := range []struct {
		name, reason string
		nodes        int
		zone         func(node int) string
	}{
		{"nodes", "until others run, no key can be read when a node dies that runs all proxies. Most clusters of one's own have no zones", 3, nil},
		{"zones", "the same for a zone", 6, func(node int) string { return strconv.Itoa(node % 3) }},
		{"free-node", "proxies are apart rather than on the only node without a server", 4, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			because(t, c.reason)
			t.Parallel()
			memcached := sample.Proxied(3).WithDefaults()
			memcached.Namespace = newNamespace(t)
			memcached.Spec.NodeSelector = map[string]string{placementKey: c.name}
			memcached.Spec.Tolerations = []corev1.Toleration{{Key: placementKey, Value: c.name}}
			nodes := newNodes(t, c.name, c.nodes, c.zone)
			for i := range 3 {
				createServer(t, memcached, i, nodes[i].Name)
			}
			for i, routes := range []string{
				"0-2", "0-2_0-2.1_announcing", "0-2_0-2.1_preparing", "0-2_0-2.1_warming", "0-2_0-2.1_closing",
				"0-2.1", "0-2.1_4-6_announcing", "0-2.1_4-6_preparing", "0-2.1_4-6_warming", "0-2.1_4-6_closing", "4-6",
			} {
				rollOut(t, memcached, routes)
				checkApart(t, memcached, nodes, routes)
				if i%2 == 1 {
					drained := drainProxy(t, memcached)
					checkApart(t, memcached, nodes, routes+" after a drain of "+drained)
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
				Labels:      map[string]string{corev1.LabelHostname: fmt.Sprintf("%s-%d", name, i), placementKey: name},
			},
			Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: placementKey, Value: name, Effect: corev1.TaintEffectNoSchedule}}},
		}
		if zone != nil {
			node.Labels[corev1.LabelTopologyZone] = zone(i)
		}
		must(t, shared.Client.Create(t.Context(), node))
		t.Cleanup(func() { must(t, shared.Client.Delete(context.Background(), node)) })
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

// createServer creates a pod of the servers on a node.
func createServer(t *testing.T, memcached *v1alpha1.Memcached, ordinal int, node string) {
	t.Helper()
	template := children.PodTemplate(memcached, children.Defaults{Images: children.Images{Memcached: children.DefaultImage}}, memory.Of(&memcached.Spec))
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.Name, pod.Spec.NodeName = memcached.Namespace, fmt.Sprintf("cache-%d", ordinal), node
	must(t, shared.Client.Create(t.Context(), pod))
}

// rollOut applies the Deployment of proxies with some routes, and waits until only its pods run.
func rollOut(t *testing.T, memcached *v1alpha1.Memcached, routes string) {
	t.Helper()
	defaults := proxies.Defaults{Image: children.DefaultImage, Library: "-- none", Domain: "cluster.local", Apart: true}
	desired := proxies.Children(&proxies.Input{
		Memcached: memcached,
		Template:  proxies.PodTemplate(memcached, defaults, memory.Of(&memcached.Spec), scaling.ParseRoutes(routes)),
		Decision:  scaling.Decision{Proxies: 2},
	})[0].(*appsv1.Deployment)
	must(t, shared.Client.Patch(t.Context(), desired, client.Apply, client.FieldOwner("test"), client.ForceOwnership)) //nolint:staticcheck // the typed apply needs another form of the object
	kubectl(t, "rollout", "status", "--namespace", memcached.Namespace, "deployment/"+desired.Name, "--timeout=1m")
}

// proxiesOf returns the two proxies, once no other one is left.
func proxiesOf(t *testing.T, memcached *v1alpha1.Memcached) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	eventually(t, waitTimeout, "two proxies run", func(ctx context.Context) error {
		if err := shared.Client.List(ctx, &pods, client.InNamespace(memcached.Namespace), client.MatchingLabels(children.ProxySelector(memcached))); err != nil {
			return err
		}
		if len(pods.Items) != 2 || slices.ContainsFunc(pods.Items, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" }) {
			return errors.New("not two proxies that have a node, and none that terminates")
		}
		return nil
	})
	return pods.Items
}

// checkApart reports proxies that are on the same node, or in the same zone.
func checkApart(t *testing.T, memcached *v1alpha1.Memcached, nodes []*corev1.Node, when string) {
	t.Helper()
	pods := proxiesOf(t, memcached)
	var of [2]*corev1.Node
	for i := range of {
		of[i] = nodes[slices.IndexFunc(nodes, func(node *corev1.Node) bool { return node.Name == pods[i].Spec.NodeName })]
	}
	zone := of[0].Labels[corev1.LabelTopologyZone]
	if of[0] == of[1] || zone != "" && zone == of[1].Labels[corev1.LabelTopologyZone] {
		t.Errorf("routes %s: the proxies are on %s and %s, in zones %q and %q", when, of[0].Name, of[1].Name, zone, of[1].Labels[corev1.LabelTopologyZone])
	}
}

// drainProxy cordons the node of a proxy, and deletes the proxy.
func drainProxy(t *testing.T, memcached *v1alpha1.Memcached) (node string) {
	t.Helper()
	pod := proxiesOf(t, memcached)[0]
	kubectl(t, "cordon", pod.Spec.NodeName)
	kubectl(t, "delete", "pod", "--namespace", pod.Namespace, pod.Name)
	return pod.Spec.NodeName
}
