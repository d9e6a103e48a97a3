package manifests

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

// TestAutoscalerExample computes with the code of Kubernetes' autoscaler how the HorizontalPodAutoscaler of the guide scales
// the Memcached of the guide, whose pods use 90 % of the CPU that their containers request.
func TestAutoscalerExample(t *testing.T) {
	for _, test := range []struct {
		why    string
		change func(spec map[string]any)
		want   int32
		err    string
	}{
		{"as the page shows it: 90 % of three pods are 70 % of 3.9", func(map[string]any) {}, 4, ""},
		{"the exporter and the reloader need requests too", func(spec map[string]any) {
			spec["metrics"], spec["tls"] = map[string]any{"enabled": true}, map[string]any{"secretName": "tls"}
		}, 4, ""},
		{"a cache requests no CPU by default", func(spec map[string]any) { delete(spec, "resources") }, 0, "missing request for cpu"},
	} {
		cacheObject, autoscaler := autoscalerExample(t)
		test.change(cacheObject["spec"].(map[string]any))
		got, err := desiredReplicas(t, cacheObject, autoscaler)
		switch {
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: got the error %v, want one with %q", test.why, err, test.err)
		case test.err == "" && (err != nil || got != test.want):
			t.Errorf("%s: got %d replicas and the error %v, want %d", test.why, got, err, test.want)
		}
	}
}

// autoscalerExample returns the HorizontalPodAutoscaler of the guide and the Memcached that it scales.
func autoscalerExample(t *testing.T) (map[string]any, autoscalingv2.HorizontalPodAutoscaler) {
	t.Helper()
	file := filepath.Join(root, "manifests/docs/change.md")
	var shown []*unstructured.Unstructured
	for _, block := range blocks(t, file, "yaml") {
		shown = append(shown, &unstructured.Unstructured{Object: decode(t, file, []byte(block))})
	}
	autoscaler := find[autoscalingv2.HorizontalPodAutoscaler](t, shown, "HorizontalPodAutoscaler")[0]
	for _, object := range shown {
		if target := autoscaler.Spec.ScaleTargetRef; object.GetKind() == target.Kind && object.GetAPIVersion() == target.APIVersion && object.GetName() == target.Name {
			object.SetNamespace("web")
			object.SetGeneration(1)
			object.SetUID("9c3ed3b6-a3b1-4d77-8d7d-1b1c8f5f2d11")
			return reread(t, object.Object), autoscaler
		}
	}
	t.Fatalf("%s shows no object %+v", file, autoscaler.Spec.ScaleTargetRef)
	return nil, autoscaler
}

// desiredReplicas returns what the autoscaler computes from the pods of a Memcached, by the selector of its status.
func desiredReplicas(t *testing.T, parent map[string]any, autoscaler autoscalingv2.HorizontalPodAutoscaler) (int32, error) {
	t.Helper()
	var response struct {
		Status   struct{ Selector string }
		Children []map[string]any
	}
	if err := json.Unmarshal(sync(t, parent).Body.Bytes(), &response); err != nil {
		t.Fatal(err)
	}
	var children []*unstructured.Unstructured
	for _, child := range response.Children {
		children = append(children, &unstructured.Unstructured{Object: child})
	}
	selector, err := labels.Parse(response.Status.Selector)
	if err != nil {
		t.Fatal(err)
	}
	deployment := find[appsv1.Deployment](t, children, "Deployment")[0]
	pods, used := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}), usage{}
	for i := range *deployment.Spec.Replicas {
		pod := runningPod(fmt.Sprint("pod-", i), deployment.Spec.Template)
		if err := pods.Add(pod); err != nil {
			t.Fatal(err)
		}
		used[pod.Name] = metrics.PodMetric{Timestamp: time.Now(), Window: time.Minute, Value: requestedCPU(pod) * 9 / 10}
	}
	resource := autoscaler.Spec.Metrics[0].Resource
	calculator := podautoscaler.NewReplicaCalculator(used, corelisters.NewPodLister(pods), 5*time.Minute, 30*time.Second)
	replicas, _, _, _, err := calculator.GetResourceReplicas(t.Context(), *deployment.Spec.Replicas,
		*resource.Target.AverageUtilization, resource.Name, podautoscaler.Tolerances{}, "web", selector, "")
	return replicas, err
}

// runningPod returns a pod of a template that has been ready for half an hour.
func runningPod(name string, template corev1.PodTemplateSpec) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Name, pod.Namespace = name, "web"
	since := metav1.NewTime(time.Now().Add(-30 * time.Minute))
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &since,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: since}}}
	return pod
}

// requestedCPU returns the sum of the requests of the containers in thousandths of a CPU, at least 1.
func requestedCPU(pod *corev1.Pod) int64 {
	var sum int64
	for _, container := range append(pod.Spec.Containers, pod.Spec.InitContainers...) {
		sum += container.Resources.Requests.Cpu().MilliValue()
	}
	return max(sum, 1)
}

// usage is what the metrics API returns for the pods of a cache.
type usage metrics.PodMetricsInfo

// GetResourceMetric returns the usage of each pod.
func (u usage) GetResourceMetric(context.Context, corev1.ResourceName, string, labels.Selector, string) (metrics.PodMetricsInfo, time.Time, error) {
	return metrics.PodMetricsInfo(u), time.Now(), nil
}

// The other methods of metrics.MetricsClient are not called for a metric of the type Resource.
func (usage) GetRawMetric(string, string, labels.Selector, labels.Selector) (metrics.PodMetricsInfo, time.Time, error) {
	panic("not a resource")
}

func (usage) GetObjectMetric(string, string, *autoscalingv2.CrossVersionObjectReference, labels.Selector) (int64, time.Time, error) {
	panic("not a resource")
}

func (usage) GetExternalMetric(string, string, labels.Selector) ([]int64, time.Time, error) {
	panic("not a resource")
}
