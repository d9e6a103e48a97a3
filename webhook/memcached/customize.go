package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
)

// customize asks for the pods. They belong to the ReplicaSet and not to the parent, so Metacontroller does not send them
// as children.
func customize(memcached *Memcached) []composite.RelatedRule {
	return []composite.RelatedRule{{
		APIVersion:    "v1",
		Resource:      "pods",
		Namespace:     memcached.Namespace,
		LabelSelector: &metav1.LabelSelector{MatchLabels: selectorLabels(memcached)},
	}}
}
