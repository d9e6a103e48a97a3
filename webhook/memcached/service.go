package memcached

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// service gives clients the addresses of all pods, for it is they who choose the server for a key. A pod that is not
// ready for a moment stays among them: leaving it out would move its keys, and putting it back move them again.
func service(memcached *Memcached) *corev1.Service {
	given := &memcached.Spec.Service
	return &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        memcached.Name,
			Namespace:   memcached.Namespace,
			Labels:      labels(memcached),
			Annotations: serviceAnnotations(given),
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

// serviceAnnotations returns at least one annotation. Metacontroller removes the whole map, with the annotations that others
// set, from a child whose desired state has no annotations any more.
func serviceAnnotations(given *Service) map[string]string {
	all := map[string]string{"memcached-operator.example.com/parent-kind": Kind.Kind}
	maps.Copy(all, given.Annotations)
	return all
}
