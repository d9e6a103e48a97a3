// Package xca has the smallest possible parent: an Xca of apps.xca.k8s.kb.cx/v1beta1 has no children, only a status with the
// time since which it is active.
package xca

import (
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/xca/v1beta1"
)

// The sync hook observes only the parent.
type (
	childGroups   struct{}
	relatedGroups struct{}
)

// Controller returns the hook of Xca.
func Controller() composite.Controller {
	return composite.Controller{Name: "xca", Parent: v1beta1.SchemeGroupVersion.WithKind("Xca"), Sync: composite.Sync(sync)}
}
