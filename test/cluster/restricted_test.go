package cluster

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestRestrictedNamespaceAdmitsThePods(t *testing.T) {
	because(t, "many clusters enforce the restricted Pod Security Standard: they reject pods that violate it")
	t.Parallel()
	namespace := newNamespace(t)
	insecure := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "insecure"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "memcached"}}},
	}
	// This ensures that the cluster enforces the standard.
	if err := shared.Client.Create(t.Context(), insecure, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Fatalf("a pod without a security context is not forbidden: %v", err)
	}
	newMemcached(t, namespace, "cache", 2)
}
