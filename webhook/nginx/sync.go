package nginx

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

func sync(observed composite.Observed[*Nginx, children, related]) (composite.Desired[object.ReplicaStatus], error) {
	nginx := observed.Parent
	if err := validate(nginx); err != nil {
		return composite.Desired[object.ReplicaStatus]{}, &composite.ParentError{Err: err}
	}
	pods := object.LivePods(observed.Related.Pods.All(), nginx.Namespace, selectorLabels(nginx))
	rollout := object.RolloutOf(observed.Children.Deployments.Get(nginx.Namespace, nginx.Name), *nginx.Spec.Count, nginx)
	return composite.Desired[object.ReplicaStatus]{
		Status:   rollout.Status(nginx.Status, pods, selectorLabels(nginx), object.Remedies{}, observed.Now),
		Children: []runtime.Object{deployment(nginx)},
	}, nil
}
