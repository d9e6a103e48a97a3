// Package parents lists the composite controllers that the webhook serves, and the reasons of their conditions.
package parents

import (
	"slices"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/customimagedeploy"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/nginx"
	"github.com/example/memcached-operator/webhook/xca"
)

// Controllers returns every composite controller.
func Controllers(caches memcached.Config) []composite.Controller {
	return []composite.Controller{
		memcached.Controller(caches),
		nginx.Controller(),
		customimagedeploy.Controller(),
		xca.Controller(),
	}
}

// Reasons returns the reasons of the conditions of every parent.
func Reasons() []conditions.Reason {
	return slices.Concat(conditions.Reasons, diagnosis.Reasons, customimagedeploy.Reasons)
}
