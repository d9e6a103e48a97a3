package nginx

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/observed"
)

// children and related declare what the sync hook observes.
type children struct {
	Deployments composite.Group[observed.Workload] `json:"Deployment.apps/v1"`
}

type related struct {
	Pods composite.Group[observed.Pod] `json:"Pod.v1"`
	// Deployments holds the object that has the name of ours, whoever owns it.
	Deployments composite.OptionalGroup[observed.Holder] `json:"Deployment.apps/v1"`
}

// Controller returns the hooks of Nginx.
func Controller() composite.Controller {
	return composite.Controller{Name: "nginx", Parent: Kind, Sync: composite.Sync(sync), Customize: composite.Customize(customize)}
}
