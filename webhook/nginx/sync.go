package nginx

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/observed"
)

func sync(request composite.Observed[*Nginx, children, related]) (composite.Desired[Status], error) {
	nginx := request.Parent
	seen := &conditions.Observation{
		Parent:    nginx,
		Before:    nginx.Status.ReplicaStatus,
		Workload:  request.Children.Deployments.Get(nginx.Namespace, nginx.Name),
		Holder:    request.Related.Deployments.Get(nginx.Namespace, nginx.Name),
		Pods:      observed.LivePods(request.Related.Pods.All(), nginx.Namespace, selectorLabels(nginx)),
		Selector:  selectorLabels(nginx),
		Container: containerName,
		Observed:  request.Child,
		Now:       request.Now,
	}
	if err := validate(nginx); err != nil {
		return composite.Keep(&request, Status{ReplicaStatus: conditions.InvalidStatus(seen, err)}, err)
	}
	seen.Children = []runtime.Object{deployment(nginx)}
	seen.Rollout = conditions.RolloutOf(seen.Workload, *nginx.Spec.Count, nginx, seen.Pods)
	assessed, err := conditions.Assess(seen)
	if err != nil {
		return composite.Desired[Status]{}, err
	}
	return composite.Desired[Status]{
		Status:      Status{ReplicaStatus: assessed.Status(seen)},
		Children:    seen.Children,
		ResyncAfter: assessed.Wait,
	}, nil
}

// validate refuses again what the CRD refuses: a parent that was stored before a rule existed, or in spite of it, must not
// decide what happens to running pods.
func validate(nginx *Nginx) error {
	spec := field.NewPath("spec")
	return slices.Concat(
		corevalidation.ParentName(nginx),
		corevalidation.Replicas(spec.Child("count"), nginx.Spec.Count),
		corevalidation.Image(spec.Child("image"), nginx.Spec.Image),
	).ToAggregate()
}
