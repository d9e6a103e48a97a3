package memcached

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// service gives clients the addresses of all pods, for it is they who choose the server for a key. A pod that is not
// ready for a moment stays among them: leaving it out would move its keys, and putting it back move them again.
func service(memcached *Memcached, observed *object.Child) *corev1.Service {
	given := &memcached.Spec.Service
	return &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        memcached.Name,
			Namespace:   memcached.Namespace,
			Labels:      labels(memcached),
			Annotations: serviceAnnotations(given.Annotations, observed),
		},
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			IPFamilyPolicy:           new(deref(given.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)),
			Selector:                 selectorLabels(memcached),
			Ports:                    servicePorts(&memcached.Spec),
		},
	}
}

// serviceAnnotations returns those of spec. Metacontroller would remove the whole map, with the annotations that others set,
// from a Service that had annotations of spec and has none any more. So from then on it has one of ours.
func serviceAnnotations(given map[string]string, observed *object.Child) map[string]string {
	if len(given) > 0 || observed == nil || len(object.AppliedAnnotations(observed)) == 0 {
		return given
	}
	return map[string]string{"memcached-operator.example.com/parent-kind": Kind.Kind}
}
