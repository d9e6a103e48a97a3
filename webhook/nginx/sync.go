package nginx

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/nginx/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

type syncRequest = composite.Observed[*v1alpha1.Nginx, childGroups, relatedGroups]

type syncResponse = composite.Desired[v1alpha1.NginxStatus]

// sync returns the desired children and the status. The children of an invalid parent stay as they were applied last.
func sync(request syncRequest) (syncResponse, error) {
	nginx := request.Parent
	observation := observe(&request)
	if err := validate(nginx); err != nil {
		status := v1alpha1.NginxStatus{ReplicaStatus: conditions.InvalidStatus(&observation, err)}
		return composite.Keep(&request, status, err)
	}
	observation.Children = []runtime.Object{deployment(nginx)}
	observation.Rollout = conditions.RolloutOf(observation.Workload, *nginx.Spec.Count, nginx, observation.Pods)
	assessment, err := conditions.Assess(&observation)
	if err != nil {
		return syncResponse{}, err
	}
	return syncResponse{
		Status:      v1alpha1.NginxStatus{ReplicaStatus: assessment.Status()},
		Children:    observation.Children,
		ResyncAfter: assessment.Wait,
	}, nil
}

// validate repeats the rules of the CRD that protect the Deployment, because a parent may have been stored before a rule existed.
func validate(nginx *v1alpha1.Nginx) error {
	spec := field.NewPath("spec")
	return slices.Concat(
		corevalidation.ParentName(nginx),
		corevalidation.Replicas(spec.Child("count"), nginx.Spec.Count),
	).ToAggregate()
}

// observe returns the observed state. Children and Rollout depend on a valid spec, so sync sets them.
func observe(request *syncRequest) conditions.Observation {
	nginx := request.Parent
	return conditions.Observation{
		Parent:    nginx,
		Before:    nginx.Status.ReplicaStatus,
		Workload:  request.Children.Deployments.Get(nginx.Namespace, nginx.Name),
		Pods:      observed.LivePods(request.Related.Pods.All(), nginx.Namespace, selectorLabels(nginx)),
		Selector:  selectorLabels(nginx),
		Container: containerName,
		Child:     request.Child,
		Now:       request.Now,
	}
}
