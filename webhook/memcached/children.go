package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// reloaderAnnotation is set on a workload to the image of its reloader. Somebody has edited an image that differs.
const reloaderAnnotation = "memcached-operator.example.com/reloader-image"

// desiredChildren returns the children, the workload first. Metacontroller would never delete a child of a kind that the
// CompositeController does not list.
func desiredChildren(memcached *v1alpha1.Memcached, p plan, observed *childGroups) []runtime.Object {
	desired := []runtime.Object{
		workload(memcached, p),
		keepForeignAnnotations(service(memcached), observed.Services.Get(memcached.Namespace, memcached.Name)),
	}
	if budget := podDisruptionBudget(memcached, p.replicas); budget != nil {
		desired = append(desired, budget)
	}
	if policy := networkPolicy(memcached); policy != nil {
		desired = append(desired, policy)
	}
	if monitor := serviceMonitor(memcached); monitor != nil && observed.ServiceMonitors.Listed() {
		desired = append(desired, monitor)
	}
	return desired
}

func workload(memcached *v1alpha1.Memcached, p plan) runtime.Object {
	if workloadKind(&memcached.Spec) == v1alpha1.StatefulSetWorkload {
		return statefulSet(memcached, p)
	}
	return deployment(memcached, p)
}

func objectMeta(memcached *v1alpha1.Memcached, annotations map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace, Labels: labels(memcached), Annotations: annotations}
}

// workloadAnnotations returns what later syncs read of a workload.
func workloadAnnotations(memcached *v1alpha1.Memcached, p plan) map[string]string {
	annotations := resources.ParentGeneration(memcached)
	if p.reloaderImage == "" {
		return annotations
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[reloaderAnnotation] = p.reloaderImage
	return annotations
}
