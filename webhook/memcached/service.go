package memcached

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

// service gives clients the addresses of all pods, for it is they who choose the server for a key. A pod that is not
// ready for a moment stays among them: leaving it out would move its keys, and putting it back move them again.
func service(memcached *v1alpha1.Memcached) *corev1.Service {
	given := &memcached.Spec.Service
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: objectMeta(memcached, given.Annotations),
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			IPFamilyPolicy:           new(ptr.Deref(given.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)),
			Selector:                 selectorLabels(memcached),
			Ports:                    servicePorts(&memcached.Spec),
		},
	}
}

// keepForeignAnnotations returns a Service with an empty map of annotations when it has none and once had some. Without the
// map Metacontroller would remove the annotations that others set, too.
func keepForeignAnnotations(service *corev1.Service, observed *observed.Child) runtime.Object {
	if len(service.Annotations) > 0 || observed == nil || merge.AppliedAnnotations(observed) == nil {
		return service
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(service) // a Service omits an empty map
	if err != nil {
		panic(err)
	}
	kept := &unstructured.Unstructured{Object: fields}
	kept.Object["metadata"].(map[string]any)["annotations"] = map[string]any{}
	return kept
}
