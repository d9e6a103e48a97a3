package memcached

import (
	"strings"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// selectorLabels select the pods of one Memcached. A workload's selector can never be changed, so neither can these.
func selectorLabels(memcached *v1alpha1.Memcached) map[string]string {
	return map[string]string{"app": "memcached", "memcached_cr": memcached.Name}
}

func labels(memcached *v1alpha1.Memcached) map[string]string {
	return resources.Labels(selectorLabels(memcached), "memcached", memcached.Name, "cache")
}

// podLabels are those that were asked for, and ours, which win.
func podLabels(memcached *v1alpha1.Memcached) map[string]string {
	return withLabels(labels(memcached), memcached.Spec.PodLabels)
}

func withLabels(ours map[string]string, given map[string]v1alpha1.LabelValue) map[string]string {
	for key, value := range given {
		if !ownedLabel(key) {
			ours[key] = string(value)
		}
	}
	return ours
}

// ownedLabel is true for the labels by which pods are found or told apart: ours, and those that workloads set.
func ownedLabel(key string) bool {
	switch key {
	case "app", "memcached_cr",
		"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component", "app.kubernetes.io/managed-by",
		"controller-uid", // by which Metacontroller knows the parent's children
		"pod-template-hash", "controller-revision-hash", "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index":
		return true
	}
	return false
}

// ownedAnnotation is true for the annotations by which Metacontroller and the hook keep their books.
func ownedAnnotation(key string) bool {
	return strings.HasPrefix(key, "memcached-operator.example.com/") || strings.HasPrefix(key, "metacontroller.k8s.io/")
}
