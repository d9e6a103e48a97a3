package memcached

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

func sync(observed composite.Observed[*Memcached, children, related]) (composite.Desired[Status], error) {
	memcached := observed.Parent
	if err := validate(memcached); err != nil {
		return composite.Desired[Status]{}, &composite.ParentError{Err: err}
	}
	pods := object.LivePods(observed.Related.Pods.All(), memcached.Namespace, selectorLabels(memcached))
	workload := observed.Children.Deployments.Get(memcached.Namespace, memcached.Name)
	return composite.Desired[Status]{
		Status:   status(memcached, workload, pods, observed.Now),
		Children: []runtime.Object{deployment(memcached)},
	}, nil
}
