package cluster

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/webhook/memcached/children"
)

// These are changes of the caches in [foreignClusters].

// startDecrease begins a change that needs two Jobs: one that cleans the servers that stay, and one that copies.
func startDecrease(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	waitReady(t, m, 3, 2*waitTimeout)
	setSize(t, m, 2)
}

func decrease(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	startDecrease(t, m)
	waitReady(t, m, 2, 3*waitTimeout)
}

// copyInMesh lets copy end two minutes ago in a pod whose sidecar runs on.
func copyInMesh(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	waitReady(t, m, 2, 2*waitTimeout)
	setSize(t, m, 3)
	pod := waitJobPod(t, m, "")
	for i, container := range pod.Status.ContainerStatuses {
		if container.Name == "move" {
			pod.Status.ContainerStatuses[i].Ready = false
			pod.Status.ContainerStatuses[i].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.NewTime(time.Now().Add(-2 * time.Minute))}}
		}
	}
	must(t, shared.Client.Status().Update(t.Context(), pod))
}

// resizePod gives a pod of the cache less memory, as an autoscaler does. The API server resizes only pods whose kubelet reports resources.
func resizePod(t *testing.T, m *unstructured.Unstructured) {
	reportMemcached(t, m, "123Mi", "{}")
	kubectl(t, "patch", "--namespace", m.GetNamespace(), "pod", podsOf(t, m)[0], "--subresource=resize", "--patch",
		`{"spec":{"containers":[{"name":"memcached","resources":{"limits":{"memory":"80Mi"},"requests":{"memory":"80Mi"}}}]}}`)
	reportMemcached(t, m, "80Mi", "{}")
}

// killForMemory reports the same pod as after the kernel has killed memcached, and it has restarted.
func killForMemory(t *testing.T, m *unstructured.Unstructured) {
	reportMemcached(t, m, "80Mi", fmt.Sprintf(`{"terminated":{"exitCode":137,"reason":"OOMKilled","finishedAt":%q}}`, time.Now().UTC().Format(time.RFC3339)))
}

// reportMemcached reports memcached in the first pod, as a kubelet does.
func reportMemcached(t *testing.T, m *unstructured.Unstructured, limit, lastState string) {
	t.Helper()
	status := fmt.Sprintf(`{"status":{"containerStatuses":[{"name":"memcached","image":%q,"imageID":"","ready":true,"restartCount":0,"state":{"running":{}},
		"resources":{"limits":{"memory":%q}},"lastState":%s}]}}`, children.DefaultImage, limit, lastState)
	kubectl(t, "patch", "--namespace", m.GetNamespace(), "pod", podsOf(t, m)[0], "--subresource=status", "--patch", status)
}

// has returns a step that waits for a condition.
func has(want wantCondition) func(*testing.T, *unstructured.Unstructured) {
	return func(t *testing.T, m *unstructured.Unstructured) { want.wait(t, m) }
}

// setSpec returns a step that merges YAML into spec.
func setSpec(spec string) func(*testing.T, *unstructured.Unstructured) {
	return func(t *testing.T, m *unstructured.Unstructured) {
		patch, err := yaml.YAMLToJSON([]byte("spec: " + spec))
		must(t, err)
		must(t, shared.Client.Patch(t.Context(), m, client.RawPatch(types.MergePatchType, patch)))
	}
}
