package xca

import "github.com/example/memcached-operator/webhook/composite"

func sync(observed composite.Observed[*Xca, children, related]) (composite.Desired[Status], error) {
	return composite.Desired[Status]{Status: status(observed.Parent, observed.Now)}, nil
}
