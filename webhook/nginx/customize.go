package nginx

import "github.com/example/memcached-operator/webhook/composite"

func customize(nginx *Nginx) []composite.RelatedRule {
	return []composite.RelatedRule{
		composite.RelatedPods(nginx.Namespace, selectorLabels(nginx)),
		composite.RelatedObject("apps/v1", "deployments", nginx.Namespace, nginx.Name),
	}
}
