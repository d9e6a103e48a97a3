// Package nginx runs nginx: an Nginx of proxy.example.com/v1alpha1 results in a Deployment of nginx pods.
package nginx

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/nginx/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// childGroups has the children that the sync hook observes.
type childGroups struct {
	Deployments composite.Group[observed.Workload] `json:"Deployment.apps/v1"`
}

// relatedGroups has the related objects that the customize hook selects.
type relatedGroups struct {
	Pods composite.Group[observed.Pod] `json:"Pod.v1"`
}

// Controller returns the hooks of Nginx.
func Controller() composite.Controller {
	return composite.Controller{
		Name:      "nginx",
		Parent:    v1alpha1.SchemeGroupVersion.WithKind("Nginx"),
		Sync:      composite.Sync(sync),
		Customize: composite.Customize(customize),
	}
}

func customize(nginx *v1alpha1.Nginx) []composite.RelatedRule {
	return []composite.RelatedRule{composite.RelatedPods(nginx.Namespace, nameLabel, nginx.Name)}
}
