// Package customimagedeploy publishes an image: a CustomImageDeploy of customimagedeploy.example.com/v1 results in a
// Deployment that runs the image, a Service and an Ingress.
package customimagedeploy

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
	"github.com/example/memcached-operator/webhook/observed"
)

// childGroups has the children that the sync and finalize hooks observe.
type childGroups struct {
	Deployments composite.Group[observed.Workload] `json:"Deployment.apps/v1"`
	// A CompositeController need not list Services and Ingresses.
	Services  composite.Group[observed.Child]   `json:"Service.v1" composite:"optional"`
	Ingresses composite.Group[observed.Ingress] `json:"Ingress.networking.k8s.io/v1" composite:"optional"`
}

// relatedGroups has the related objects that the customize hook selects.
type relatedGroups struct {
	Pods composite.Group[observed.Pod] `json:"Pod.v1"`
}

// Controller returns the hooks of CustomImageDeploy.
func Controller() composite.Controller {
	return composite.Controller{
		Name:      "customimagedeploy",
		Parent:    v1.SchemeGroupVersion.WithKind("CustomImageDeploy"),
		Sync:      composite.Sync(sync),
		Finalize:  composite.Finalize(finalize),
		Customize: composite.Customize(customize),
	}
}

func customize(deploy *v1.CustomImageDeploy) []composite.RelatedRule {
	return []composite.RelatedRule{composite.RelatedPods(deploy.Namespace, nameLabel, deploy.Name)}
}
