package memcached

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// plan contains what determines the children in addition to spec.
type plan struct {
	scaling.Plan
	memory memorySize
	// reloaderImage is "" for pods without a reloader.
	reloaderImage string
}

func desiredWorkload(memcached *v1alpha1.Memcached, p plan) runtime.Object {
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		return statefulSet(memcached, p)
	}
	return deployment(memcached, p)
}
