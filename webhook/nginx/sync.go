package nginx

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/object"
)

func sync(observed composite.Observed[*Nginx, children, related]) (composite.Desired[Status], error) {
	nginx := observed.Parent
	seen := &object.Observation{
		Parent:    nginx,
		Before:    nginx.Status.ReplicaStatus,
		Workload:  observed.Children.Deployments.Get(nginx.Namespace, nginx.Name),
		Holder:    observed.Related.Deployments.Get(nginx.Namespace, nginx.Name),
		Pods:      object.LivePods(observed.Related.Pods.All(), nginx.Namespace, selectorLabels(nginx)),
		Selector:  selectorLabels(nginx),
		Container: containerName,
		Observed:  observed.Child,
		Now:       observed.Now,
	}
	if err := validate(nginx); err != nil {
		return composite.Keep(&observed, Status{ReplicaStatus: object.InvalidStatus(seen, err)}, err)
	}
	seen.Children = []runtime.Object{deployment(nginx)}
	seen.Rollout = object.RolloutOf(seen.Workload, *nginx.Spec.Count, nginx, seen.Pods)
	assessed, err := object.Assess(seen)
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
		object.ValidateName(nginx),
		object.ValidateReplicas(spec.Child("count"), nginx.Spec.Count),
		corevalidation.Image(spec.Child("image"), nginx.Spec.Image),
	).ToAggregate()
}
