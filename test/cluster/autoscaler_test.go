package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/test/cluster/clustertest"
	"github.com/example/memcached-operator/test/internal/pages"
)

// metricsCRD makes the API server store the metrics of pods, which metrics-server would measure.
const metricsCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: pods.metrics.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: metrics.k8s.io
  scope: Namespaced
  names: {plural: pods, singular: pod, kind: PodMetrics}
  versions:
    - {name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// TestAutoscaler applies the example of the pages. The pods use ten times their CPU request, so Kubernetes' autoscaler must scale the
// cache to the maximum. Without a request it cannot.
func TestAutoscaler(t *testing.T) {
	t.Parallel()
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "metrics.yaml", metricsCRD))
	must(t, shared.WaitEstablished(t.Context(), "pods.metrics.k8s.io"))
	memcached, hpa := autoscalerExample(t)
	for _, c := range []struct {
		name, reason string
		request      bool
	}{
		{"as documented", "users copy the example, which needs a CPU request of the pods", true},
		{"without a CPU request", "the page says that the example needs a CPU request", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			because(t, c.reason)
			t.Parallel()
			namespace := newNamespace(t)
			m := memcached.DeepCopy()
			m.SetNamespace(namespace)
			if !c.request {
				unstructured.RemoveNestedField(m.Object, "spec", "resources")
			}
			must(t, shared.Client.Create(t.Context(), m))
			size, _, _ := unstructured.NestedInt64(m.Object, "spec", "size")
			waitReady(t, m, int(size), waitTimeout)
			for _, pod := range podsOf(t, m) {
				use(t, namespace, pod)
			}
			kubectl(t, "apply", "--namespace", namespace, "--filename", clustertest.WriteFile(t, "hpa.yaml", hpa))
			eventually(t, waitTimeout, "the autoscaler scales, or reports the missing request", func(ctx context.Context) error {
				return scaled(ctx, m, c.request)
			})
		})
	}
}

// scaled returns an error unless the autoscaler has scaled to its maximum, or else reports that the pods have no request.
func scaled(ctx context.Context, m *unstructured.Unstructured, wantScaled bool) error {
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), hpa); err != nil {
		return err
	}
	if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
		return err
	}
	size, _, _ := unstructured.NestedInt64(m.Object, "spec", "size")
	for _, condition := range hpa.Status.Conditions {
		missing := condition.Status == corev1.ConditionFalse && strings.Contains(condition.Message, "missing request for cpu")
		if condition.Type == autoscalingv2.ScalingActive && missing != wantScaled && (size == int64(hpa.Spec.MaxReplicas)) == wantScaled {
			return nil
		}
	}
	return fmt.Errorf("size %d, conditions %v", size, hpa.Status.Conditions)
}

// autoscalerExample returns the HorizontalPodAutoscaler of the pages, and the Memcached of the same page that it scales.
func autoscalerExample(t *testing.T) (memcached *unstructured.Unstructured, hpa string) {
	t.Helper()
	files, err := pages.Find(shared.root)
	must(t, err)
	for _, file := range files {
		blocks, err := pages.Blocks(file)
		must(t, err)
		caches := map[string]*unstructured.Unstructured{}
		for _, block := range blocks {
			object := &unstructured.Unstructured{}
			if block.Language != "yaml" || yaml.Unmarshal([]byte(block.Text()), &object.Object) != nil {
				continue
			}
			switch object.GetKind() {
			case "Memcached":
				caches[object.GetName()] = object
			case "HorizontalPodAutoscaler":
				target, _, _ := unstructured.NestedString(object.Object, "spec", "scaleTargetRef", "name")
				if caches[target] == nil {
					t.Fatalf("%s: no block before the HorizontalPodAutoscaler has the Memcached %s", block.Place, target)
				}
				return caches[target], block.Text()
			}
		}
	}
	t.Fatal("no page has a HorizontalPodAutoscaler")
	return nil, ""
}

// use stores the metrics of a pod that uses ten times the CPU time that the example requests.
func use(t *testing.T, namespace, name string) {
	t.Helper()
	pod := &corev1.Pod{}
	must(t, shared.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, pod))
	metrics := &unstructured.Unstructured{Object: map[string]any{
		// The autoscaler ignores the metrics of the time before a pod was ready.
		"timestamp":  time.Now().Add(time.Minute).UTC().Format(time.RFC3339),
		"window":     "1s",
		"containers": []any{map[string]any{"name": pod.Spec.Containers[0].Name, "usage": map[string]any{"cpu": "5", "memory": "1Mi"}}},
	}}
	metrics.SetAPIVersion("metrics.k8s.io/v1beta1")
	metrics.SetKind("PodMetrics")
	metrics.SetNamespace(namespace)
	metrics.SetName(name)
	metrics.SetLabels(pod.Labels)
	must(t, shared.Client.Create(t.Context(), metrics))
}
