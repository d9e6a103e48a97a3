// Package parents lists the composite controllers that the webhook serves.
package parents

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/customimagedeploy"
	"github.com/example/memcached-operator/webhook/memcached"
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
