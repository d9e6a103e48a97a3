package memcached

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// warmup returns the desired Job and its NetworkPolicy; none if there is no Job now. The conditions do not await them: the planner and the
// findings report what a Job does.
func (c Config) warmup(memcached *v1alpha1.Memcached, d scaling.Decision) []runtime.Object {
	if d.Copy == (scaling.Job{}) || memcached.Spec.Proxy == nil {
		return nil
	}
	job := proxy.Warmup(memcached, d.Copy, c.ReloaderImage)
	if !ptr.Deref(memcached.Spec.NetworkPolicy.Enabled, true) {
		return []runtime.Object{job}
	}
	return []runtime.Object{proxy.WarmupPolicy(memcached), job}
}

// isWarmup reports whether a child is one of a warm-up. The conditions do not await these children, because the warm-up ends without them too.
func isWarmup(memcached *v1alpha1.Memcached, child runtime.Object) bool {
	return child.(metav1.Object).GetName() == proxy.WarmupName(memcached)
}
