package memcached

import "github.com/example/memcached-operator/webhook/composite"

func customize(memcached *Memcached) []composite.RelatedRule {
	return []composite.RelatedRule{
		composite.RelatedPods(memcached.Namespace, selectorLabels(memcached)),
		composite.RelatedObject("apps/v1", "deployments", memcached.Namespace, memcached.Name),
		composite.RelatedObject("apps/v1", "statefulsets", memcached.Namespace, memcached.Name),
	}
}
