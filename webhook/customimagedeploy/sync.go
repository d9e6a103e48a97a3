package customimagedeploy

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
)

type observation = composite.Observed[*CustomImageDeploy, children, related]

func sync(request observation) (composite.Desired[Status], error) {
	deploy := request.Parent
	if err := validate(deploy); err != nil {
		status := Status{ReplicaStatus: conditions.InvalidStatus(observe(&request), err), Address: address(&request)}
		return composite.Keep(&request, status, err)
	}
	children := published(deploy)
	status, wait, err := assess(&request, children)
	if err != nil {
		return composite.Desired[Status]{}, err
	}
	return composite.Desired[Status]{Status: status, Children: children, ResyncAfter: wait}, nil
}

// published returns the children, the Deployment first.
func published(deploy *CustomImageDeploy) []runtime.Object {
	return []runtime.Object{deployment(deploy), service(deploy), ingress(deploy)}
}
