package xca

import "github.com/example/memcached-operator/webhook/composite"

// children and related declare what the sync hook observes: nothing beside the parent.
type (
	children struct{}
	related  struct{}
)

// Controller returns the hook of Xca.
func Controller() composite.Controller {
	return composite.Controller{Name: "xca", Parent: Kind, Sync: composite.Sync(sync)}
}
