package customimagedeploy

import (
	"cmp"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
)

type syncRequest = composite.Request[*v1.CustomImageDeploy, childGroups, relatedGroups]

type syncResponse = composite.Desired[v1.CustomImageDeployStatus]

// sync returns the desired children and the status. The children of an invalid parent stay as they were applied last.
func sync(request syncRequest) (syncResponse, error) {
	deploy := request.Parent
	input := inputOf(&request)
	if err := cmp.Or(validate(deploy), validateListed(&deploy.Spec, &request.Children)); err != nil {
		status := v1.CustomImageDeployStatus{ReplicaStatus: conditions.InvalidStatus(&input, err), Address: address(&request)}
		return composite.Keep(&request, conditions.WasValid(deploy.Status.Conditions), status, err)
	}
	input.Children = request.Listed(desiredChildren(deploy))
	input.Awaited = awaitedAddress(&request)
	assessment, err := conditions.Assess(&input)
	if err != nil {
		return syncResponse{}, err
	}
	return syncResponse{
		Status:      v1.CustomImageDeployStatus{ReplicaStatus: assessment.Status(), Address: address(&request)},
		Children:    input.Children,
		ResyncAfter: assessment.Wait,
	}, nil
}

// desiredChildren returns the children of a valid parent, the Deployment first, also of kinds that the CompositeController does
// not list.
func desiredChildren(deploy *v1.CustomImageDeploy) []runtime.Object {
	return []runtime.Object{deployment(deploy), service(deploy), ingress(deploy)}
}
