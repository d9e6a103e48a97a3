package memcached

import "github.com/example/memcached-operator/webhook/composite"

func customize(memcached *Memcached) []composite.RelatedRule {
	resource := "deployments"
	if memcached.Spec.workload() == StatefulSetWorkload {
		resource = "statefulsets"
	}
	return []composite.RelatedRule{
		composite.RelatedPods(memcached.Namespace, selectorLabels(memcached)),
		composite.RelatedObject("apps/v1", resource, memcached.Namespace, memcached.Name),
	}
}
