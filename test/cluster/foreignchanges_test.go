package cluster

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
		if container.Name == "copy" {
			pod.Status.ContainerStatuses[i].Ready = false
			pod.Status.ContainerStatuses[i].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.NewTime(time.Now().Add(-2 * time.Minute))}}
		}
	}
	must(t, shared.Client.Status().Update(t.Context(), pod))
}
