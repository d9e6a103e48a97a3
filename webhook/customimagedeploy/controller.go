package customimagedeploy

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/observed"
)

// children and related declare what the sync and finalize hooks observe.
type children struct {
	Deployments composite.Group[observed.Workload] `json:"Deployment.apps/v1"`
	Services    composite.Group[observed.Child]    `json:"Service.v1"`
	Ingresses   composite.Group[observed.Ingress]  `json:"Ingress.networking.k8s.io/v1"`
}

type related struct {
	Pods composite.Group[observed.Pod] `json:"Pod.v1"`
	// Deployments holds the object that has the name of ours, whoever owns it.
	Deployments composite.OptionalGroup[observed.Holder] `json:"Deployment.apps/v1"`
}

// Controller returns the hooks of CustomImageDeploy.
func Controller() composite.Controller {
	return composite.Controller{
		Name:      "customimagedeploy",
		Parent:    Kind,
		Sync:      composite.Sync(sync),
		Finalize:  composite.Finalize(finalize),
		Customize: composite.Customize(customize),
	}
}
