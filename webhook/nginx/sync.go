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

type syncRequest = composite.Request[*v1alpha1.Nginx, childGroups, relatedGroups]

type syncResponse = composite.Desired[v1alpha1.NginxStatus]

// sync returns the desired children and the status. The children of an invalid parent stay as they were applied last.
func sync(request syncRequest) (syncResponse, error) {
	nginx := request.Parent
	input := inputOf(&request)
	if err := validate(nginx); err != nil {
		status := v1alpha1.NginxStatus{ReplicaStatus: conditions.InvalidStatus(&input, err)}
		return composite.Keep(&request, conditions.WasValid(nginx.Status.Conditions), status, err)
	}
	input.Children = []runtime.Object{deployment(nginx)}
	input.Rollout = conditions.RolloutOf(input.Workload, *nginx.Spec.Count, nginx, input.Pods)
	assessment, err := conditions.Assess(&input)
	if err != nil {
		return syncResponse{}, err
	}
	return syncResponse{
		Status:      v1alpha1.NginxStatus{ReplicaStatus: assessment.Status()},
		Children:    input.Children,
		ResyncAfter: assessment.Wait,
	}, nil
}

// validate repeats the rules of the CRD that protect the Deployment, because a parent may have been stored before a rule existed.
func validate(nginx *v1alpha1.Nginx) error {
	spec := field.NewPath("spec")
	return corevalidation.Summary(slices.Concat(
		corevalidation.ParentName(nginx),
		corevalidation.Replicas(spec.Child("count"), nginx.Spec.Count),
	))
}

// inputOf returns what the parent is assessed from. Children and Rollout depend on a valid spec, so sync sets them.
func inputOf(request *syncRequest) conditions.Input {
	nginx := request.Parent
	return conditions.Input{
		Parent:    nginx,
		Before:    nginx.Status.ReplicaStatus,
		Workload:  request.Children.Deployments.Get(nginx.Namespace, nginx.Name),
		Pods:      observed.LivePods(request.Related.Pods.All(), nginx.Namespace, selectorLabels(nginx)),
		Selector:  selectorLabels(nginx),
		Container: containerName,
		SpecField: conditions.ImageField,
		Child:     request.Child,
		Now:       request.Now,
	}
}
