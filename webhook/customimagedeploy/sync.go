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
		Children: []runtime.Object{deployment(deploy), service(deploy), ingress(deploy)},
	}, nil
}
