package children

import (
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// NameLabel is the label with the name of the Memcached.
const NameLabel = "memcached_cr"

// ProxyLabel has the name of the Memcached and is on proxies only, so that this label alone selects them.
const ProxyLabel = "memcached_proxy"

// ProxySuffix is what the names of the children that belong to the proxies add to the name of the Memcached.
const ProxySuffix = "-proxy"

// MoveLabel has the name of the Memcached and is on the pods of the Job of a move.
const MoveLabel = "memcached_move"

// ownPrefix begins the names of the labels and annotations that later syncs read.
const ownPrefix = "memcached-operator.example.com/"

func objectMeta(memcached *v1alpha1.Memcached, annotations map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace, Labels: childLabels(memcached), Annotations: annotations}
}

// SelectorLabels returns the labels that select the pods of one Memcached. The selector of a workload is immutable, so these
// labels must never change.
func SelectorLabels(memcached *v1alpha1.Memcached) map[string]string {
	return map[string]string{"app": "memcached", NameLabel: memcached.Name}
}

func childLabels(memcached *v1alpha1.Memcached) map[string]string {
	return resources.Labels(SelectorLabels(memcached), "memcached", memcached.Name, "cache")
}

func podLabels(memcached *v1alpha1.Memcached) map[string]string {
	return AddLabels(childLabels(memcached), memcached.Spec.PodLabels)
}

// AddLabels adds the labels of the spec to the labels of a child, except those that the operator owns.
func AddLabels(labels map[string]string, specLabels map[string]v1alpha1.LabelValue) map[string]string {
	for key, value := range specLabels {
		if !OwnedLabel(key) {
			labels[key] = string(value)
		}
	}
	return labels
}

// OwnedLabel reports whether a label identifies children or pods. The operator, Metacontroller and workloads set such
// labels.
func OwnedLabel(key string) bool {
	switch key {
	case "app", NameLabel, ProxyLabel, MoveLabel,
		"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component", "app.kubernetes.io/managed-by",
		"controller-uid", "job-name", // Metacontroller selects the children of a parent by the first one, and Jobs select pods by both
		"pod-template-hash", "controller-revision-hash", "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index":
		return true
	}
	return strings.HasPrefix(key, "batch.kubernetes.io/") || // the API server refuses a Job whose pods have other values
		strings.HasPrefix(key, ownPrefix)
}

// OwnedAnnotation reports whether an annotation is reserved for the operator or Metacontroller.
func OwnedAnnotation(key string) bool {
	return strings.HasPrefix(key, ownPrefix) || strings.HasPrefix(key, "metacontroller.k8s.io/")
}

// workloadAnnotations returns the annotations of a workload, which later syncs read.
func workloadAnnotations(memcached *v1alpha1.Memcached, defaults ReleaseDefaults) map[string]string {
	annotations := imageAnnotations(memcached.Spec.ForServers(), defaults.Images)
	RecordTolerationSeconds(annotations, &memcached.Spec, defaults.TolerationSeconds)
	RecordHelperCPU(annotations, defaults.HelperCPU)
	maps.Copy(annotations, resources.ParentGeneration(memcached))
	return annotations
}

// podAnnotations returns the annotations of the spec, and with SASL the annotation that a volume mounts as a file.
func podAnnotations(spec *v1alpha1.MemcachedSpec) map[string]string {
	if spec.AuthMode() != v1alpha1.AuthSASL {
		return spec.PodAnnotations
	}
	annotations := map[string]string{}
	maps.Copy(annotations, spec.PodAnnotations)
	annotations[saslAnnotation] = saslConfig
	return annotations
}

// ProxySelector returns the labels that select the proxies of one Memcached. They must never change, and never select a
// server: a Memcached can have the name of the proxies of another one.
func ProxySelector(memcached *v1alpha1.Memcached) map[string]string {
	return map[string]string{"app": "memcached-proxy", ProxyLabel: memcached.Name}
}

// MoveSelector returns the labels that select the pods that copy items. They are neither servers nor proxies.
func MoveSelector(memcached *v1alpha1.Memcached) map[string]string {
	return map[string]string{"app": "memcached-move", MoveLabel: memcached.Name}
}
