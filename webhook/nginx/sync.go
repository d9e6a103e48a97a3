package nginx

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

func sync(observed composite.Observed[*Nginx, children, related]) (composite.Desired[Status], error) {
	nginx := observed.Parent
	// What the CRD refuses is refused again: a parent that was stored before a rule was there, or past it, must not decide
	// what happens to running pods.
	errs := append(object.ValidateName(nginx), object.ValidateReplicas(field.NewPath("spec", "count"), nginx.Spec.Count)...)
	if err := errs.ToAggregate(); err != nil {
		return composite.Desired[Status]{}, &composite.ParentError{Err: err}
	}
	pods := object.LivePods(observed.Related.Pods.All(), nginx.Namespace, selectorLabels(nginx))
	rollout := object.RolloutOf(observed.Children.Deployments.Get(nginx.Namespace, nginx.Name), *nginx.Spec.Count, nginx)
	return composite.Desired[Status]{
		Status:   Status{ReplicaStatus: rollout.Status(nginx.Status.ReplicaStatus, pods, selectorLabels(nginx), object.Remedies{}, observed.Now)},
		Children: []runtime.Object{deployment(nginx)},
	}, nil
}
