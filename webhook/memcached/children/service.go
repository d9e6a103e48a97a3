package children

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

// service returns the headless Service. It publishes the addresses of all pods, because clients choose the server of a key.
// They include pods that are not ready for a moment: to remove such a pod would move its keys, and to add it again would
// move them back.
func service(in *Input) runtime.Object {
	memcached, spec := in.Memcached, &in.Memcached.Spec.Service
	return KeepForeignAnnotations(&corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: objectMeta(memcached, spec.Annotations),
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			IPFamilyPolicy:           spec.IPFamilyPolicy,
			Selector:                 SelectorLabels(memcached),
			Ports:                    servicePorts(memcached.Spec.ForServers()),
		},
	}, in.Service)
}

// KeepForeignAnnotations returns the desired Service, with an empty map of annotations if it has none now but had some
// before. Without the map, Metacontroller would also remove the annotations that others have set.
func KeepForeignAnnotations(desired *corev1.Service, existing *observed.Child) runtime.Object {
	if len(desired.Annotations) > 0 || existing == nil || merge.AppliedAnnotations(existing) == nil {
		return desired
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(desired) // corev1.Service would omit an empty map
	if err != nil {
		panic(err)
	}
	kept := &unstructured.Unstructured{Object: fields}
	kept.Object["metadata"].(map[string]any)["annotations"] = map[string]any{}
	return kept
}
