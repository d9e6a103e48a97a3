package memcached

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// warmup returns the desired Job; none if items are not copied now. The conditions do not await the Job, because the warm-up ends
// without it too.
func (c Config) warmup(memcached *v1alpha1.Memcached, p scaling.Plan) []runtime.Object {
	if p.Copy == (scaling.Routes{}) || memcached.Spec.Proxy == nil {
		return nil
	}
	return []runtime.Object{proxy.Warmup(memcached, p.Copy, c.ReloaderImage)}
}
