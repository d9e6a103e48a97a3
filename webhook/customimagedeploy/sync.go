package customimagedeploy

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
)

func sync(observed composite.Observed[*CustomImageDeploy, children, related]) (composite.Desired[Status], error) {
	deploy := observed.Parent
	if err := validate(deploy); err != nil {
		return composite.Desired[Status]{}, &composite.ParentError{Err: err}
	}
	return composite.Desired[Status]{
		Status:   status(observed),
		Children: published(deploy),
	}, nil
}

// published are all children of a valid CustomImageDeploy.
func published(deploy *CustomImageDeploy) []runtime.Object {
	return []runtime.Object{deployment(deploy), service(deploy), ingress(deploy)}
}
