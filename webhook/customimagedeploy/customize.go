package customimagedeploy

import "github.com/example/memcached-operator/webhook/composite"

func customize(deploy *CustomImageDeploy) []composite.RelatedRule {
	return []composite.RelatedRule{
		composite.RelatedPods(deploy.Namespace, selectorLabels(deploy)),
		composite.RelatedObject("apps/v1", "deployments", deploy.Namespace, deploy.Name),
	}
}
