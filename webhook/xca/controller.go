package xca

import "github.com/example/memcached-operator/webhook/composite"

// The sync hook observes only the parent.
type (
	childGroups   struct{}
	relatedGroups struct{}
)

// Controller returns the hook of Xca.
func Controller() composite.Controller {
	return composite.Controller{Name: "xca", Parent: Kind, Sync: composite.Sync(sync)}
}
