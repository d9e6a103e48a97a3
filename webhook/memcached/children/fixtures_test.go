package children

import (
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// inputOf returns what the children of so many servers are built from.
func inputOf(memcached *v1alpha1.Memcached, replicas int32) *Input {
	template := PodTemplate(memcached, ReleaseDefaults{Images: Images{Memcached: DefaultImage}}, memory.Of(&memcached.Spec))
	return &Input{Memcached: memcached, Template: template, Decision: moves.Decision{Ordinals: moves.Range{Count: replicas}}}
}
